# ct.jq - helpers for expressions about trace lines (ct-trace(5)). ct-where has them built in; with jq alone, those that
# take no part in the fold work too: jq -L DIR 'include "ct"; select(on_kind == "fd")'.

# What jq prints there may be a name that acts on a terminal.
def stderr: .;

# What it waits on, apart: "fd:42" is of kind "fd" and value "42". null without "on".
def on_kind: .on | if . == null then null else split(":")[0] end;
def on_value: .on | if . == null then null else .[index(":") + 1:] end;

# Nanoseconds as seconds; seconds from a moment.
def seconds: . / 1000000000;
def since($from): .ts | if . == null then null else (. - $from) | seconds end;

# Version 1 lines have no "ev": what it would be.
def event: .ev // if .is_active then "resume" else "suspend" end;

# What ct-where knows of the line: it answers `input` with it. null where it is not known.
def context: input;
# Seconds since the run's first line.
def since_start: context.start as $start | since($start);
# How long, in seconds, the coroutine had been in its state when this line came, and in which.
def age: context.age;
def state: context.state;
# The coroutine's name; where the line's "site" is, as "function file:line"; the name and role of its thread.
def name: context.name;
def site: context.site;
def place: site;		# its older name
def thread: context.thread;
def role: context.role;
