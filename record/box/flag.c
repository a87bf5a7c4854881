/* flag.c - a process with a probe and no box is asked for one: the word that switches its probe on
 * stands in a page that it shares with whoever may open it. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "../complain.h"
#include "../event.h"
#include "../extra/process.h"
#include "../region.h"
#include "box.h"

static struct ctp_flag *flag_map(pid_t pid)
{
	int fd = find_fd(pid, CTP_FLAG_NAME, O_RDWR);
	void *p;

	if (fd < 0)
		return NULL;
	p = lseek(fd, 0, SEEK_END) < (off_t)sizeof(struct ctp_flag) ? MAP_FAILED :
		mmap(NULL, sizeof(struct ctp_flag), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* Is there a box, and recorded into? Acquire: what is to be forgotten is marked. */
static int is_there(pid_t pid, const struct region *box)
{
	if (!box)
		return find_made_box(pid, O_RDWR);
	return ctp_load_acquire(&box->h->leave) == CTP_LEFT ? -1 : box->fd;
}

int flag_ask(pid_t pid, const struct region *box, const volatile sig_atomic_t *stop)
{
	struct timespec nap = { 0, 200000 };
	struct ctp_flag *flag = flag_map(pid);
	bool refused = false;
	uint32_t from;
	int fd = -1;

	if (!flag) {
		find_complain(pid);
		return -1;
	}
	do {		/* again where it may be about to switch itself off */
		from = CTP_FLAG_OFF;
		__atomic_compare_exchange_n(&flag->on, &from, CTP_FLAG_ASKED, 0, __ATOMIC_ACQ_REL,
			__ATOMIC_RELAXED);
	} while (box && !*stop && from == CTP_FLAG_LENT && process_exists(pid) &&
		!nanosleep(&nap, NULL));
	while (!*stop && process_exists(pid)) {
		/* before the look for a box, which is on where there is one */
		refused = ctp_load_acquire(&flag->on) == CTP_FLAG_OFF;
		if ((fd = is_there(pid, box)) >= 0 || refused)
			break;
		nanosleep(&nap, NULL);
		if (nap.tv_nsec < 20000000)
			nap.tv_nsec *= 2;
	}
	from = CTP_FLAG_ASKED;		/* not needed any more */
	if (fd < 0 && refused)
		complain("process %ld has made no box; its standard error may say why", (long)pid);
	else if (fd < 0)
		__atomic_compare_exchange_n(
			&flag->on, &from, CTP_FLAG_OFF, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	munmap(flag, sizeof *flag);
	return fd;
}
