/* layout.c - every byte of the protocol: what a compiler makes of ctp.h against the numbers that ctp(7) gives. */
#include "ctp.h"
#include "tap.h"

#define AT(s, f, o) ok(offsetof(struct s, f) == (o), #s "." #f " stands at " #o)
#define SIZE(s, n) ok(sizeof(struct s) == (n), "struct " #s " has " #n " bytes")

static void layout(void)
{
	SIZE(ctp_event, 64);
	AT(ctp_event, timestamp, 0);
	AT(ctp_event, tid, 8);
	AT(ctp_event, addr, 16);
	AT(ctp_event, seq, 24);
	AT(ctp_event, probe_id, 32);
	AT(ctp_event, arg, 40);
	AT(ctp_event, n, 48);
	AT(ctp_event, site, 52);
	AT(ctp_event, kind, 56);
	AT(ctp_event, arg_kind, 57);
	AT(ctp_event, stack, 58);
	AT(ctp_event, spare, 62);
	AT(ctp_event, is_active, 63);
	SIZE(ctp_v1_station, 1024);
	AT(ctp_v1_station, probe_id, 0);
	AT(ctp_v1_station, birth_ts, 8);
	AT(ctp_v1_station, is_dead, 16);
	AT(ctp_v1_station, slots, 64);
	SIZE(ctp_header, 1024);
	AT(ctp_header, magic, 0);
	AT(ctp_header, version, 8);
	AT(ctp_header, max_stations, 12);
	AT(ctp_header, allocated_count, 16);
	AT(ctp_header, tracer_sleeping, 20);
	AT(ctp_header, v2_magic, 64);
	AT(ctp_header, v2_minor, 72);
	AT(ctp_header, flags, 76);
	AT(ctp_header, file_size, 80);
	AT(ctp_header, ring_count, 88);
	AT(ctp_header, ring_slots, 92);
	AT(ctp_header, rings_off, 96);
	AT(ctp_header, slots_off, 104);
	AT(ctp_header, stations_off, 112);
	AT(ctp_header, sites_off, 120);
	AT(ctp_header, strings_off, 128);
	AT(ctp_header, strings_size, 136);
	AT(ctp_header, station_count, 144);
	AT(ctp_header, site_count, 148);
	AT(ctp_header, next_probe_id, 256);
	AT(ctp_header, stations_free, 320);
	AT(ctp_header, stations_used, 328);
	AT(ctp_header, sites_used, 384);
	AT(ctp_header, strings_used, 448);
	AT(ctp_header, rings_used, 512);
	AT(ctp_header, lost_no_ring, 576);
	AT(ctp_header, lost_no_station, 584);
	AT(ctp_header, lost_no_string, 592);
	AT(ctp_header, lost_no_stack, 600);
	AT(ctp_header, recorder_pid, 224);
	AT(ctp_header, kinds, 248);
	AT(ctp_header, on_kinds, 252);
	AT(ctp_header, next_number, 608);
	SIZE(ctp_ring, 128);
	AT(ctp_ring, head, 0);
	AT(ctp_ring, dropped, 8);
	AT(ctp_ring, drop_first, 16);
	AT(ctp_ring, drop_last, 24);
	AT(ctp_ring, owner, 32);
	AT(ctp_ring, tail, 64);
	SIZE(ctp_site, 16);
	AT(ctp_site, ready, 0);
	AT(ctp_site, line, 4);
	AT(ctp_site, func, 8);
	AT(ctp_site, file, 12);
	SIZE(ctp_string, 8);
	AT(ctp_string, len, 0);
	AT(ctp_string, text, 4);
}

int main(void)
{
	layout();
	ok(CTP_LOST == 18 && CTP_DEQUEUE == 19 && CTP_DEADLINE == 20 && CTP_STOP == 21 && CTP_START == 22 && CTP_LEG == 23 &&
	   CTP_KINDS == 24 && CTP_ON_KINDS == 13, "the kinds are numbered as specified");
	ok(CTP_ON_USER == 9 && CTP_ON_ANY == 0x80, "the kinds of objects are numbered as specified");
	return done_testing();
}
