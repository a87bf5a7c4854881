/* part.c - rows into a directory of files of a bounded size, a directory a run, which appears all
 * at once. Contracts in csv.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "csv.h"

enum { OPEN_MAX_FILES = 16, BUFFER = 128 << 10, FILES_MAX = 1000000 };

struct file {
	int fd;
	uint32_t run;
	uint64_t bucket, rows, used;
	size_t len;
	char buf[BUFFER];
};

struct part {
	struct part_options opt;
	const struct csv_table *table;
	struct buf header;
	struct file *open[OPEN_MAX_FILES];
	size_t count;
	uint64_t files, clock, bucket;
	uint32_t runs;		/* whose directories are made */
	bool failed;
};

/* Of what is made and what is removed: the thread that removes all of it for a signal keeps it. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static bool fail(struct part *p, const char *path, const char *why)
{
	static bool reported;	/* the first table to fail takes the others with it */

	if (!reported) {
		fputs("ct-tocsv: ", stderr);
		ctt_out_text(stderr, path, strlen(path));
		fprintf(stderr, ": %s\n", why);
	}
	return !(reported = p->failed = true);
}

/* The run's directory, under its last name or, `hidden`, its first: beside the table, as some
 * readers look into hidden ones below it. Too long a path is cut, and then cannot be made. */
static void path_of(const struct part *p, char path[PATH_MAX], uint32_t run, bool hidden)
{
	if (hidden)
		snprintf(path, PATH_MAX, "%s/.%s.%s.%ld", p->opt.dir, p->table->name,
			csv_run_name(run), (long)getpid());
	else
		snprintf(path, PATH_MAX, "%s/table=%s/run=%s", p->opt.dir, p->table->name,
			csv_run_name(run));
}

static bool make(struct part *p, const char *path, bool may_be)
{
	if (!mkdir(path, 0777) || (may_be && errno == EEXIST))
		return true;
	return fail(p, path, strerror(errno));
}

static bool make_run(struct part *p, uint32_t run)
{
	char path[PATH_MAX];
	struct stat st;

	path_of(p, path, run, false);
	if (!lstat(path, &st))
		return fail(p, path, "is there already");
	path_of(p, path, run, true);
	return make(p, path, false);
}

static bool flush(struct part *p, struct file *f)
{
	for (size_t done = 0; done < f->len;) {
		ssize_t n = write(f->fd, f->buf + done, f->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(p, p->opt.dir, strerror(errno));
		done += (size_t)n;
	}
	f->len = 0;
	return true;
}

static bool put(struct part *p, struct file *f, const char *s, size_t len)
{
	for (size_t n; len; s += n, len -= n) {
		n = len < BUFFER - f->len ? len : BUFFER - f->len;
		memcpy(f->buf + f->len, s, n);
		f->len += n;
		if (f->len == BUFFER && !flush(p, f))
			return false;
	}
	return true;
}

static bool close_file(struct part *p, struct file *f)
{
	bool good = flush(p, f);

	if (close(f->fd))
		good = fail(p, p->opt.dir, strerror(errno));
	f->fd = -1;
	return good;
}

static bool make_file(struct part *p, struct file *f, uint32_t run, uint64_t bucket)
{
	char path[PATH_MAX];
	size_t len;

	f->rows = 0;
	f->run = run;
	f->bucket = bucket;
	f->len = 0;
	f->used = ++p->clock;
	if (p->files == FILES_MAX)
		return fail(p, p->opt.dir,
			"a million files would not do: ask for more --rows, or a longer --bucket");
	if (run == p->runs && !make_run(p, p->runs++))
		return false;
	path_of(p, path, run, true);
	len = strlen(path);
	if (p->opt.bucket && p->table->timed) {
		len += (size_t)snprintf(path + len, PATH_MAX - len, "/bucket=%" PRIu64, bucket);
		if (len >= PATH_MAX || !make(p, path, true))
			return fail(p, p->opt.dir, "too long a path");
	}
	snprintf(path + len, PATH_MAX - len, "/part-%06" PRIu64 ".csv", p->files++);
	f->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return f->fd < 0 ? fail(p, path, strerror(errno)) : put(p, f, p->header.p, p->header.len);
}

static bool open_file(struct part *p, struct file *f, uint32_t run, uint64_t bucket)
{
	bool good;

	pthread_mutex_lock(&making);
	good = make_file(p, f, run, bucket);
	pthread_mutex_unlock(&making);
	return good;
}

/* The file that takes a row of a run whose directory is there, or of the run after them: the one
 * longest not used is closed where there are too many. */
static struct file *file_for(struct part *p, uint32_t run, uint64_t bucket)
{
	struct file *f = NULL;

	for (size_t i = 0; i < p->count; i++) {
		if (p->open[i]->run == run && p->open[i]->bucket == bucket && p->open[i]->fd >= 0) {
			f = p->open[i];
			if (f->rows < p->opt.rows)
				return f;
			break;
		}
		if (p->count == OPEN_MAX_FILES && (!f || p->open[i]->used < f->used))
			f = p->open[i];
	}
	if (!f) {
		f = p->open[p->count++] = need(malloc(sizeof(*f)));
		f->fd = -1;
	}
	return (f->fd < 0 || close_file(p, f)) && open_file(p, f, run, bucket) ? f : NULL;
}

struct part *part_open(const struct part_options *opt, const struct csv_table *table,
	const char *header, size_t len)
{
	struct part *p = need(calloc(1, sizeof(*p)));
	char path[PATH_MAX];

	p->opt = *opt;
	p->table = table;
	buf_add(&p->header, header, len);
	snprintf(path, sizeof(path), "%s/table=%s", opt->dir, table->name);
	(void)(make(p, opt->dir, true) && make(p, path, true));
	return p;
}

/* Runs without rows are there, too: with a header. */
static bool reach(struct part *p, uint32_t run)
{
	while (p->runs < run && !p->failed)
		file_for(p, p->runs, p->bucket);
	return !p->failed;
}

bool part_row(struct part *p, uint32_t run, uint64_t time, const char *row, size_t len)
{
	struct file *f;

	if (p->failed || !reach(p, run))
		return false;
	if (time && p->opt.bucket && p->table->timed)
		p->bucket = time / p->opt.bucket;
	f = file_for(p, run, p->bucket);
	if (!f)
		return false;
	f->used = ++p->clock;
	f->rows++;
	return put(p, f, row, len);
}

/* Of our own making: at most a directory of directories of files. */
static void remove_tree(const char *path)
{
	DIR *d = opendir(path);
	char name[PATH_MAX];

	for (struct dirent *e; d && (e = readdir(d));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if ((size_t)snprintf(name, sizeof(name), "%s/%s", path, e->d_name) < sizeof(name) &&
			unlink(name))
			remove_tree(name);
	}
	if (d)
		closedir(d);
	rmdir(path);
}

void part_stop(void)
{
	pthread_mutex_lock(&making);
}

void part_remove(const struct part *p)
{
	char path[PATH_MAX];

	for (uint32_t run = 0; run < p->runs; run++) {
		path_of(p, path, run, true);
		remove_tree(path);
	}
}

static bool appear(struct part *p, uint32_t run)
{
	char from[PATH_MAX], to[PATH_MAX];

	path_of(p, from, run, true);
	path_of(p, to, run, false);
	return !rename(from, to) || fail(p, to, strerror(errno));
}

bool part_close(struct part *p, uint32_t runs)
{
	reach(p, runs);
	for (size_t i = 0; i < p->count; i++)
		if (p->open[i]->fd >= 0)
			close_file(p, p->open[i]);
	return !p->failed;
}

bool part_finish(struct part *p, bool keep)
{
	char path[PATH_MAX];
	bool good = true;

	for (uint32_t run = 0; run < p->runs; run++) {
		if (keep && appear(p, run))
			continue;
		good = false;
		path_of(p, path, run, true);
		remove_tree(path);
	}
	for (size_t i = 0; i < p->count; i++)
		free(p->open[i]);
	free(p->header.p);
	free(p);
	return good || !keep;
}
