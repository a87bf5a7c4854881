# corotrace. `make help` lists the targets. Everything built is under $(O).
#
# A program is record/, one file filters/ct-NAME.c or report/ct-NAME.c, or all files of a folder of its name.

# Cargo can read it from nowhere else.
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' sdk/rust/Cargo.toml)
O ?= build$(if $(SAN),-san)$(if $(TSAN),-tsan)
# By one name, however it is given: what depends on a header is written down for that.
override O := $(patsubst $(CURDIR)/%,%,$(abspath $(O)))
PREFIX ?= /usr/local
bindir = $(DESTDIR)$(PREFIX)/bin
libdir = $(DESTDIR)$(PREFIX)/lib
incdir = $(DESTDIR)$(PREFIX)/include/corotrace
mandir = $(DESTDIR)$(PREFIX)/share/man
datadir = $(DESTDIR)$(PREFIX)/share/corotrace

# Under -n nothing is installed either, though make brings what it includes up to date.
dry := $(if $(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),DEPS_DRY=1)
# ABSENT: libraries that programs need and that are not here.
ifneq ($(filter-out clean help uninstall,$(or $(MAKECMDGOALS),all)),)
include $(O)/absent.mk
endif
program_names = $(sort $(notdir $(basename $(wildcard $(1)/ct-*.c)) $(patsubst %/main.c,%,$(wildcard $(1)/ct-*/main.c))))
FILTERS  = $(filter-out $(LEFT_OUT),$(call program_names,filters))
REPORT   = $(filter-out $(LEFT_OUT),$(call program_names,report))
LEFT_OUT = $(foreach p,$(call program_names,filters) $(call program_names,report),$(if $(filter $(ABSENT),$(NEEDS_$(p))),$(p)))
TRACE_C  = $(filter-out $(if $(filter zlib,$(ABSENT)),%/gunzip.c) $(if $(filter libzstd,$(ABSENT)),%/unzstd.c),$(wildcard sdk/trace/*/*.c))
SNAP_C   = $(wildcard sdk/snap/*.c)
MAN      = $(filter-out $(foreach p,$(LEFT_OUT),%/$(p).1),$(MANUALS))
MANUALS  = $(wildcard record/*.1 filters/*.1 filters/*/*.1 report/*.1 report/*/*.1 sdk/*/*.3 sdk/*/*.7 share/doc/*.[57])
# Test programs and the targets they trace: one source, one program.
TEST_C   = $(wildcard t/unit/*.c t/targets/*.c t/zoo/*.c t/bench/*.c t/fuzz/*.c)
# Of these the tests themselves compile, in ways of their own.
TEST_CC  = $(filter-out $(patsubst %,t/targets/%-%.cc,cpp snap stk uprobe),$(wildcard t/unit/*.cc t/targets/*.cc t/bench/*.cc))
ZOO_CC   = $(wildcard t/zoo/*.cc)
DEMO     = demo-server demo-load

CC ?= cc
CXX ?= c++
# It compiles what runs in the kernel.
BPF_CC ?= clang
OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy)
# CFLAGS, CXXFLAGS, CPPFLAGS and LDFLAGS are the packager's: what the code needs stands in the flags below.
CFLAGS ?= -O2 -g
CXXFLAGS ?= $(if $(filter environment command,$(origin CFLAGS)),-O2 -g,$(CFLAGS))
WARN = -Wall -Wextra
comma = ,
SAN_FLAGS = $(if $(SAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)$(if $(TSAN),-fsanitize=thread)
INCLUDES = -Isdk -Isdk/trace -Isdk/c -Isdk/cpp -Isdk/ctp $(if $(filter t/%,$<),-It/lib) -I$(O) -DCT_VERSION='"$(VERSION)"'
# The libraries, the filters and the reports are plain POSIX C11.
POSIX = -D_POSIX_C_SOURCE=200809L
# Where it was built leaves no trace in what is built.
same_anywhere = $(if $(filter t/%,$<),,-ffile-prefix-map=$(CURDIR)=.)
# The library is linked once more before a program is: link-time optimisation would end there.
need_c = $(INCLUDES) $(if $(filter %pack.c,$<),$(ABSENT:%=-DWITHOUT_%)) $(if $(filter sdk/trace/% sdk/snap/% filters/% report/%,$<),$(POSIX),-D_GNU_SOURCE) -std=c11 $(WARN) $(SAN_FLAGS) $(same_anywhere) -MMD -MP
# It takes longer to compile than to run.
unoptimised = -O0 -U_FORTIFY_SOURCE
seldom_run = $(if $(filter t/unit/% t/zoo/%,$<),$(unoptimised))
need_cxx = $(INCLUDES) -D_GNU_SOURCE -std=c++20 $(WARN) $(SAN_FLAGS) $(same_anywhere) -MMD -MP
# What programs link with, and of which libraries (share/packaging/libs.sh): without these they are left out.
LDLIBS_ct-tosql = -lsqlite3
NEEDS_ct-tosql = libsqlite3
LDLIBS_ct-where = -ljq
NEEDS_ct-where = libjq
# libiberty for its demanglers.
LDLIBS_ct-sym = -ldw -lelf -liberty
LDLIBS_ct-snap = -ldw -lelf -liberty
NEEDS_ct-sym = libdw libiberty
NEEDS_ct-snap = libdw libiberty
# Those that need some of sdk/snap.
SNAP_USERS = ct-snap ct-sym ct-uprobe
LDLIBS_ct-uprobe = -lbpf -lcapstone -ldw -lelf -liberty
NEEDS_ct-uprobe = libbpf libcapstone libdw libiberty clang
LDLIBS_ct-html = -lz -lm
NEEDS_ct-html = zlib
LDLIBS_ct-top = -lncursesw -lpthread
NEEDS_ct-top = ncurses
# Compressed traces are read and written where these are: what is not is said when one is met.
COMPRESSORS = $(if $(filter zlib,$(ABSENT)),,-lz) $(if $(filter libzstd,$(ABSENT)),,-lzstd)
LDLIBS_ct-record = $(COMPRESSORS) -lpthread
LDLIBS_cttrace = $(COMPRESSORS) -lpthread
# The agent for JVMs needs a JDK's headers; a JVM runs no sanitizers, and it is built without.
JDK := $(shell sh share/packaging/jdk.sh)
JVM_AGENT = $(if $(JDK),$(O)/libcorotrace-jvm.so)
JVM_FLAGS = $(INCLUDES) -I$(JDK)/include -I$(JDK)/include/linux -D_GNU_SOURCE -std=c11 $(WARN) $(same_anywhere) -MMD -MP -fPIC -fvisibility=hidden
HTML_JS = $(addprefix share/html/,data.js format.js trace.js view.js colors.js chart.js paint.js timeline.js pointer.js findings.js \
	health.js details.js chain.js tables.js tree.js span.js flame.js ring.js compare.js pins.js panes.js main.js)

Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-4s %s\n' $(1) $(patsubst $(O)/%,%,$@))

PROGS = $(O)/ct-record $(FILTERS:%=$(O)/%) $(REPORT:%=$(O)/%)
LIBS  = $(O)/libct.a $(O)/libcttrace.a
TEST_PROGS = $(patsubst t/%.c,$(O)/t/%,$(TEST_C)) $(patsubst t/%.cc,$(O)/t/%,$(TEST_CC) $(ZOO_CC))
# Of these, what the bench alone runs.
BENCHES = $(filter-out $(patsubst %,$(O)/t/bench/%,busy crowd flood gen run),$(filter $(O)/t/bench/%,$(TEST_PROGS)))
TESTS = $(filter-out $(BENCHES),$(TEST_PROGS))

all: $(PROGS) $(LIBS) $(JVM_AGENT) $(DEMO:%=$(O)/%) $(O)/dropin/ct.c left-out ## build the programs and libraries (the default)
test-programs: $(TESTS)

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(need_c) $(CPPFLAGS) $(CFLAGS) $(if $(filter sdk/trace/%,$<),-fno-lto) $(seldom_run) -c -o $@ $<
$(O)/%.o: %.cc
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) $(need_cxx) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

$(O)/sdk/java/%.o: sdk/java/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(JVM_FLAGS) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
$(O)/libcorotrace-jvm.so: $(patsubst %.c,$(O)/%.o,$(wildcard sdk/java/*.c))
	$(call say,LD)
	$(Q)$(CC) -shared $(CFLAGS) $(LDFLAGS) -o $@ $^ -lpthread -ldl

$(O)/sdk/trace/read/unpack.o $(O)/record/pack.o: $(O)/absent.mk
$(O)/libct.a: $(O)/sdk/c/ct.o
# As others link it, libcttrace is one object, of whose names only the public ones are seen; programs link its parts.
$(O)/libcttrace.a: $(O)/cttrace.o
$(O)/parts.a: $(TRACE_C:%.c=$(O)/%.o)
# A process's memory and the coroutines in it.
$(O)/snap.a: $(SNAP_C:%.c=$(O)/%.o)
$(O)/cttrace.o: $(TRACE_C:%.c=$(O)/%.o)
	$(call say,LD)
	$(Q)$(CC) -r -nostdlib -o $@ $^ && $(OBJCOPY) -w --keep-global-symbol='ctt_*' $@
$(LIBS) $(O)/parts.a $(O)/snap.a:
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

.SECONDEXPANSION:
objects = $(patsubst %.c,$(O)/%.o,$(wildcard $(foreach room,filters report,$(room)/$(1).c $(room)/$(1)/*.c)))
link = $(CC) $(SAN_FLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) $(LDLIBS_$*) $(if $(filter %/parts.a,$^),$(LDLIBS_cttrace))
$(O)/ct-record: $(O)/%: $(patsubst %.c,$(O)/%.o,$(wildcard record/*.c record/*/*.c))
	$(call say,LD)
	$(Q)$(link)
$(FILTERS:%=$(O)/%) $(REPORT:%=$(O)/%): $(O)/%: $$(call objects,$$*) $$(if $$(filter $$*,$(SNAP_USERS)),$(O)/snap.a) $(O)/parts.a
	$(call say,LD)
	$(Q)$(link)

# Files of other kinds, embedded into the program that needs them.
$(O)/uprobe.inc: share/embed.sh $(O)/uprobe.bpf
$(O)/plot.inc: share/embed.sh $(wildcard share/gnuplot/*.gp)
$(O)/jq.inc: share/embed.sh share/jq/ct.jq
$(O)/sql.inc: share/embed.sh share/sql/embed.sh $(wildcard share/sql/*/*)
$(O)/html.inc: share/embed.sh share/html/page.html share/html/page.css $(HTML_JS)
$(O)/report/ct-plot/write.o: $(O)/plot.inc
$(O)/filters/ct-where/jq.o: $(O)/jq.inc
$(O)/filters/ct-tosql/dialect.o: $(O)/sql.inc
$(O)/report/ct-html/main.o: $(O)/html.inc
$(O)/filters/ct-uprobe/attach.o: $(O)/uprobe.inc
# The target bpf has no <asm/types.h> of its own: it takes the one that $(CC) finds.
asm_types = $(patsubst %/asm/types.h,%,$(filter %/asm/types.h,$(shell $(CC) $(CPPFLAGS) -M -include asm/types.h -x c /dev/null)))
$(O)/uprobe.bpf: filters/ct-uprobe/kernel/probe.c filters/ct-uprobe/record.h
	$(call say,BPF)
	@mkdir -p $(@D)
	$(Q)$(BPF_CC) -O2 -g -target bpf $(addprefix -I,$(asm_types)) -Ifilters/ct-uprobe $(WARN) -fdebug-prefix-map=$(CURDIR)=. -c -o $@ $<
$(O)/uprobe.inc:
	$(call say,GEN)
	$(Q)sh share/embed.sh uprobe_object $(O)/uprobe.bpf >$@
$(O)/plot.inc:
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)for f in $(filter %.gp,$^); do n=$${f##*/}; sh share/embed.sh plot_$${n%.gp} $$f; done >$@
$(O)/jq.inc:
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)sh share/embed.sh jq_helpers share/jq/ct.jq >$@
$(O)/sql.inc:
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)sh share/sql/embed.sh sqlite postgres mysql clickhouse duckdb >$@
$(O)/html.inc:
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)sh share/embed.sh html_page share/html/page.html >$@
	$(Q)sh share/embed.sh html_css share/html/page.css >>$@
	$(Q)sh share/embed.sh html_js $(HTML_JS) >>$@

# Of a program's own parts, what a test or the bench links.
$(O)/t/fuzz/gotrace: $(patsubst %.c,$(O)/%.o,$(filter-out %/main.c,$(wildcard filters/ct-fromgo/*.c))) $(O)/filters/ct-check/order.o
$(O)/t/unit/gobound: $(patsubst %.c,$(O)/%.o,$(filter-out %/main.c %/file.c,$(wildcard filters/ct-fromgo/*.c)))
$(O)/t/bench/print: $(patsubst %,$(O)/record/%.o,print pack line complain event site extra/clock extra/memory extra/stack extra/process extra/alive)
$(patsubst %,$(O)/t/unit/%,command harvest lines): $(patsubst record/%.c,$(O)/record/%.o,$(filter-out record/main.c,$(wildcard record/*.c record/*/*.c)))
$(O)/t/unit/find: $(patsubst record/%.c,$(O)/record/%.o,$(filter-out record/main.c record/box/find.c,$(wildcard record/*.c record/*/*.c)))
$(O)/t/unit/main: $(patsubst record/%.c,$(O)/record/%.o,$(filter-out record/main.c record/pace.c,$(wildcard record/*.c record/*/*.c)))
$(O)/t/unit/peer: $(patsubst record/%.c,$(O)/record/%.o,$(filter-out record/main.c record/peer.c,$(wildcard record/*.c record/*/*.c)))
$(O)/t/unit/region: $(patsubst record/%.c,$(O)/record/%.o,$(filter-out record/main.c record/region.c,$(wildcard record/*.c record/*/*.c)))
$(O)/t/unit/pack: $(O)/record/complain.o
$(O)/t/unit/process: $(patsubst record/%.c,$(O)/record/%.o,$(filter-out record/main.c record/extra/process.c record/extra/alive.c,$(wildcard record/*.c record/*/*.c)))
$(O)/t/unit/stations-v1: $(patsubst record/%.c,$(O)/record/%.o,$(filter-out record/main.c record/extra/v1.c,$(wildcard record/*.c record/*/*.c)))
$(O)/t/unit/torn: $(patsubst record/%.c,$(O)/record/%.o,$(filter-out record/main.c record/stations.c record/box/image.c,$(wildcard record/*.c record/*/*.c)))
$(O)/t/unit/boxes: $(patsubst record/%.c,$(O)/record/%.o,$(filter-out record/main.c $(patsubst %,record/box/%.c,attach core states watch),$(wildcard record/*.c record/*/*.c)))
$(O)/t/bench/busy: LDLIBS += -lm
$(O)/t/bench/print $(patsubst %,$(O)/t/unit/%,boxes command find harvest lines main pack peer process region stations-v1 torn): LDLIBS += $(COMPRESSORS)
$(patsubst t/%.c,$(O)/t/%,$(TEST_C)): $(O)/t/%: $(O)/t/%.o $(O)/libct.a $(O)/parts.a
	$(call say,LD)
	$(Q)$(link) -lpthread
$(patsubst t/%.cc,$(O)/t/%,$(TEST_CC)): $(O)/t/%: $(O)/t/%.o
	$(call say,LD)
	$(Q)$(CXX) $(SAN_FLAGS) $(CXXFLAGS) $(LDFLAGS) -o $@ $< $(LDLIBS) -lpthread
# Of C++, the zoo is one program under many names.
$(O)/t/zoo/all.cc: t/zoo/all.sh $(ZOO_CC)
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)sh $^ >$@
$(O)/t/zoo/all.o: $(O)/t/zoo/all.cc
	$(call say,CXX)
	$(Q)$(CXX) $(need_cxx) -It/zoo $(CPPFLAGS) $(CXXFLAGS) $(unoptimised) -c -o $@ $<
$(O)/t/zoo/all: $(O)/t/zoo/all.o
	$(call say,LD)
	$(Q)$(CXX) $(SAN_FLAGS) $(CXXFLAGS) $(LDFLAGS) -o $@ $< $(LDLIBS) -lpthread
$(patsubst t/%.cc,$(O)/t/%,$(ZOO_CC)): $(O)/t/zoo/all
	$(Q)ln -f $< $@
$(DEMO:%=$(O)/%): $(O)/demo-%: $(O)/t/demo/%.o
	$(call say,LD)
	$(Q)$(CXX) $(SAN_FLAGS) $(CXXFLAGS) $(LDFLAGS) -o $@ $< $(LDLIBS) -lpthread

# The probes as files to drop into a program: for C ct.h and ct.c, with ctp.h and its parts in it; for C++ one header.
$(O)/dropin/ct.c: sdk/c/ct.c sdk/c/ct.h $(wildcard sdk/c/ct-*.h) sdk/ctp/ctp.h sdk/c/dropin.sh $(wildcard sdk/cpp/*.hpp sdk/cpp/ct-asio/*.hpp) sdk/zig/corotrace.zig
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)sh sdk/c/dropin.sh $(@D)

# The goals that it is given with say what is needed; all else is built afterwards (see absent.mk).
deps_for = $(if $(filter check-all,$(MAKECMDGOALS)),check-all,$(if $(filter check bench,$(MAKECMDGOALS)),check))
deps: ## install what building and the demo need; with check what the tests need (FLEET=1: 1.4 GB more)
	@$(dry) CC='$(CC)' CXX='$(CXX)' BPF_CC='$(BPF_CC)' sh share/packaging/deps.sh $(deps_for)
	@$(if $(deps_for)$(FLEET),$(dry) FLEET='$(FLEET)' sh share/packaging/fleet-deps.sh)
# Asked each time: what is missing may have come since. Make reads it again where it has changed.
$(O)/absent.mk: $(filter deps,$(MAKECMDGOALS)) always
	@mkdir -p $(O)
	@CC='$(CC)' BPF_CC='$(BPF_CC)' CPPFLAGS='$(CPPFLAGS)' LDFLAGS='$(LDFLAGS)' sh share/packaging/absent.sh $(O) >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
always:
left-out: $(PROGS)
	@$(foreach p,$(LEFT_OUT),echo "$(p) is left out: it needs $$(sh share/packaging/deps.sh --name $(filter $(ABSENT),$(NEEDS_$(p)))) (make deps installs it)" >&2;)
	@$(if $(JDK),,echo "  --   libcorotrace-jvm.so is left out: it needs a JDK of 21 or later (JAVA_HOME)")

demo: all ## record a server that loses 47 coroutines and say which (BUG=0: the mended server)
	@sh t/demo/demo.sh $(O) $(or $(BUG),1)

screenshots: demo ## take the picture of the page that the README shows, of the demo
	@$(O)/ct-html $(O)/demo.jsonl >$(O)/demo.html && python3 t/lib/html-shot.py $(O)/demo.html share/doc/page.png

plots: all ## draw the plot that the README shows, from the demo
	@sh t/demo/plots.sh $(O)

check: all test-programs ## run the tests (SAN=1: under ASan and UBSan; V=1: verbose)
	@MAKEFLAGS= O='$(abspath $(O))' CC='$(CC)' CXX='$(CXX)' SAN='$(SAN)' LEFT_OUT='$(LEFT_OUT)' sh t/check.sh $(if $(V),-v) $(T)

check-all: all test-programs $(BENCHES) ## the tests, and what takes too long for each change (about an hour)
	@MAKEFLAGS= O='$(abspath $(O))' CC='$(CC)' CXX='$(CXX)' SAN='$(SAN)' LEFT_OUT='$(LEFT_OUT)' CHECK_ALL=1 sh t/check.sh $(if $(V),-v) $(T)

verdicts: all test-programs ## print recall and precision of the verdicts, as share/doc/VERDICTS.md shows them
	@O='$(abspath $(O))' sh t/verdicts.sh

fuzz: ## mutated input under sanitizers for FUZZ_SECONDS (600); SEED=N: from there on
	@$(MAKE) --no-print-directory SAN=1 all test-programs
	@SAN=1 O='$(abspath build-san)' sh t/fuzz/long.sh $(or $(FUZZ_SECONDS),600) $(SEED)

# What single tests run, but for the programs of the zoo.
unit-programs: $(filter-out $(O)/t/zoo/%,$(TESTS))
zoo-programs: $(filter $(O)/t/zoo/%,$(TESTS))

mutate: ## plant small bugs, and report how many a test notices (N=60, SEED=1, QUICK=1, AGAIN=, FILES=)
	@python3 t/mutate/mutate.py -j 2 -n $(or $(N),60) -t $(or $(SECONDS),7200) -s $(or $(SEED),1) $(if $(QUICK),-q -m 120) $(if $(AGAIN),-r '$(AGAIN)') $(FILES)

analyze: all ## gcc -fanalyzer, cppcheck and clang --analyze, less what t/analyze/known has judged
	@O='$(abspath $(O))' sh t/analyze/analyze.sh

valgrind: ## the tests of filters and reports with these under valgrind (T='t/cases/x.t ...': these only)
	@$(run_matrix) valgrind
matrix: ## sanitizers, clang, valgrind, the analysers, file by file, in one table (hours; ROWS=, T=, AGAIN=1)
	@$(run_matrix) $(ROWS)
run_matrix = MAKEFLAGS= LEFT_OUT='$(LEFT_OUT)' T='$(T)' AGAIN='$(AGAIN)' sh t/analyze/matrix.sh

reliability: all test-programs ## print the figures of share/doc/RELIABILITY.md (ten minutes)
	@sh t/model/spin.sh t/model/*.pml
	@python3 t/model/litmus.py t/model/known.litmus && python3 t/model/litmus.py t/model/protocol.litmus
	@O='$(abspath $(O))' CHECK_ALL=1 sh t/check.sh -v t/cases/faults.t

coverage: ## which lines of the C code the tests run (T='t/cases/x.t ...': these only)
	@sh t/mutate/coverage.sh $(T)

bench: all test-programs $(BENCHES) ## measure the speeds of share/doc/BENCH.md, in two minutes (BENCH=all: all; FLEET=1: databases)
	@O='$(abspath $(O))' BENCH='$(BENCH)' sh t/bench/$(if $(FLEET),fleet,bench).sh
.PHONY: bench-snap
bench-snap: all ## measure how long ct-snap stops a process of 1,000, 100,000 and 1,000,000 frames
	@O='$(abspath $(O))' CXX='$(CXX)' sh t/bench/snap.sh

.PHONY: bench-jvm
bench-jvm: all ## measure what the agent costs JVMs, in CPU time
	@O='$(abspath $(O))' sh t/bench/jvm.sh

.PHONY: bench-uprobe
bench-uprobe: all $(O)/t/bench/uprobe-cost $(O)/t/bench/uprobe-kinds $(O)/t/bench/probe ## measure what ct-uprobe costs its target (needs root)
	@O='$(abspath $(O))' sh t/bench/uprobe.sh

install: all ## install under PREFIX (default /usr/local), DESTDIR in front
	@O='$(O)' DESTDIR='$(DESTDIR)' bindir='$(bindir)' libdir='$(libdir)' incdir='$(incdir)' mandir='$(mandir)' datadir='$(datadir)' \
	  PREFIX='$(PREFIX)' VERSION='$(VERSION)' PROGS='$(PROGS)' LIBS='$(LIBS)' JVM_AGENT='$(JVM_AGENT)' MAN='$(MAN)' LDLIBS_cttrace='$(strip $(LDLIBS_cttrace))' sh share/packaging/install.sh
uninstall: ## remove what install put there
	@O='$(O)' bindir='$(bindir)' libdir='$(libdir)' incdir='$(incdir)' mandir='$(mandir)' datadir='$(datadir)' \
	  PROGS='$(PROGS)' LIBS='$(LIBS)' JVM_AGENT='$(JVM_AGENT)' MAN='$(MAN)' sh share/packaging/install.sh uninstall

deb: ## build Debian packages of what git has here, in $(O)/deb
	@sh share/packaging/deb.sh '$(abspath $(O))/deb' '$(VERSION)'

reproducible: ## build twice, in different directories, and compare every byte
	@sh share/packaging/reproducible.sh

clean: ## remove everything built
	rm -rf build build-san build-tsan build-clang build-matrix

help: ## this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

.PHONY: reproducible fuzz reliability valgrind matrix mutate analyze coverage unit-programs zoo-programs all deb test-programs deps left-out always demo screenshots plots check check-all verdicts bench install uninstall clean help
.SECONDARY:
.DELETE_ON_ERROR:
# Those of cargo are no business of make.
-include $(shell find $(O) -path '$(O)/rust*' -prune -o -name '*.d' -print 2>/dev/null)
