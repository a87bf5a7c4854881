/* proto.h - protocol buffers as they are on the wire, and the field numbers of Perfetto's trace
 * format that ct-toperfetto uses. Facts from protobuf's description of its encoding, and from
 * protos/perfetto/trace/perfetto_trace.proto of Perfetto (Apache License 2.0): messages and fields
 * by their names there. */
#ifndef PERFETTO_PROTO_H
#define PERFETTO_PROTO_H

#include "base/put.h"

enum { PROTO_VARINT, PROTO_FIXED64, PROTO_BYTES };	/* wire types */

/* All are put at p, where their caller made room, and return where they ended. */
enum { PROTO_NUMBER = 20 };	/* bytes of a number at most */
static inline char *proto_varint(char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	return p;
}
static inline char *proto_number(char *p, unsigned field, uint64_t v)
{
	return proto_varint(proto_varint(p, field << 3 | PROTO_VARINT), v);
}
static inline char *proto_fixed64(char *p, unsigned field, uint64_t v)
{
	p = proto_varint(p, field << 3 | PROTO_FIXED64);
	for (int i = 0; i < 8; i++)
		*p++ = (char)(v >> 8 * i);
	return p;
}
/* What stands between the two is the message in this field: short ones are not moved. */
static inline char *proto_begin(char *p, unsigned field)
{
	return proto_varint(p, field << 3 | PROTO_BYTES) + 1;
}
static inline char *proto_end(char *begin, char *p)
{
	size_t len = (size_t)(p - begin), more = 0;

	if (len < 0x80) {
		begin[-1] = (char)len;
		return p;
	}
	for (size_t rest = len >> 7; rest; rest >>= 7)
		more++;
	memmove(begin + more, begin, len);
	proto_varint(begin - 1, len);
	return p + more;
}

enum {
	TRACE_PACKET = 1, /* Trace.packet */

	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_CLOCK_ID = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
	/* TracePacket.SequenceFlags */
	SEQ_INCREMENTAL_STATE_CLEARED = 1,
	SEQ_NEEDS_INCREMENTAL_STATE = 2,

	SNAPSHOT_CLOCKS = 1,
	SNAPSHOT_PRIMARY = 2, /* ClockSnapshot */
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2, /* ClockSnapshot.Clock */
	CLOCK_REALTIME_ = 1,
	CLOCK_MONOTONIC_ = 3, /* BuiltinClock */
	DEFAULTS_CLOCK_ID = 58, /* TracePacketDefaults */

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_CHILD_ORDERING = 11, /* TrackDescriptor */
	ORDER_CHRONOLOGICAL = 2, /* TrackDescriptor.ChildTracksOrdering */
	PROCESS_PID = 1,
	PROCESS_NAME = 6, /* ProcessDescriptor */
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5, /* ThreadDescriptor */
	COUNTER_UNIT_NAME = 6, /* CounterDescriptor */

	EVENT_CATEGORY_IIDS = 3,
	EVENT_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
	EVENT_SOURCE_LOCATION_IID = 34,
	EVENT_FLOW_IDS = 47,
	EVENT_TERMINATING_FLOW_IDS = 48, /* TrackEvent */
	/* TrackEvent.Type */
	TYPE_SLICE_BEGIN = 1,
	TYPE_SLICE_END = 2,
	TYPE_INSTANT = 3,
	TYPE_COUNTER = 4,
	/* DebugAnnotation */
	ANNOTATION_NAME_IID = 1,
	ANNOTATION_UINT = 3,
	ANNOTATION_STRING = 6,

	/* InternedData */
	INTERNED_CATEGORIES = 1,
	INTERNED_NAMES = 2,
	INTERNED_ANNOTATION_NAMES = 3,
	INTERNED_LOCATIONS = 4,
	/* EventCategory, EventName, DebugAnnotationName */
	INTERNED_IID = 1,
	INTERNED_NAME = 2,
	/* SourceLocation */
	LOCATION_IID = 1,
	LOCATION_FILE = 2,
	LOCATION_FUNCTION = 3,
	LOCATION_LINE = 4
};
#endif
