"""viewers-schema.py - is it a Perfetto trace, by the format's own description? viewers-schema.py FILE

Decodes it with the descriptors of the Python package perfetto: no field unknown, every track told before its first event,
with one description for ever but for its name, every interned number told before it is used, and no more ends than begins.
"""
import sys

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as format


def known(message):
    if len(UnknownFieldSet(message)):
        sys.exit('unknown fields in %s' % message)
    for field, value in message.ListFields():
        if field.message_type:
            repeated = hasattr(value, '__len__') and not hasattr(value, 'ListFields')
            for one in value if repeated else [value]:
                known(one)


def main():
    trace = format.Trace()
    with open(sys.argv[1], 'rb') as f:
        trace.ParseFromString(f.read())
    tracks, depth = {}, {}
    told = {'event_categories': set(), 'event_names': set(), 'debug_annotation_names': set(), 'source_locations': set()}
    snapshots = 0
    for p in trace.packet:
        known(p)
        snapshots += p.HasField('clock_snapshot')
        for kind, numbers in told.items():
            numbers.update(x.iid for x in getattr(p.interned_data, kind))
        if p.HasField('track_descriptor'):
            d = p.track_descriptor
            same = (d.parent_uuid, d.thread.pid, d.thread.tid, d.process.pid, d.HasField('counter'))
            assert tracks.setdefault(d.uuid, same) == same, d
            assert not d.parent_uuid or d.parent_uuid in tracks, d
        if p.HasField('track_event'):
            e = p.track_event
            assert e.track_uuid in tracks, p
            assert set(e.category_iids) <= told['event_categories'], p
            assert not e.name_iid or e.name_iid in told['event_names'], p
            assert not e.source_location_iid or e.source_location_iid in told['source_locations'], p
            assert {a.name_iid for a in e.debug_annotations} <= told['debug_annotation_names'], p
            if e.type in (e.TYPE_SLICE_BEGIN, e.TYPE_SLICE_END):
                depth.setdefault(e.track_uuid, []).append((p.timestamp, e.type))
    assert snapshots == 1, snapshots
    for track, events in depth.items():
        open_ = 0
        for _, kind in sorted(events, key=lambda x: x[0]):	# stable, as the trace processor is
            open_ += 1 if kind == format.TrackEvent.TYPE_SLICE_BEGIN else -1
            assert open_ >= 0, track
        assert open_ == 0, track
    print(len(trace.packet), 'packets,', len(tracks), 'tracks')


main()
