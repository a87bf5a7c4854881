# corotrace. `make help` lists the targets. Everything built is under $(O).

VERSION = 0.1.0
O ?= build$(if $(SAN),-san)$(if $(TSAN),-tsan)
PREFIX ?= /usr/local
bindir = $(DESTDIR)$(PREFIX)/bin
libdir = $(DESTDIR)$(PREFIX)/lib
incdir = $(DESTDIR)$(PREFIX)/include/corotrace
mandir = $(DESTDIR)$(PREFIX)/share/man
datadir = $(DESTDIR)$(PREFIX)/share/corotrace

RECORD   = ct-record
FILTERS  = ct-stuck ct-lostwake ct-check ct-tocsv ct-tosql ct-lint ct-where ct-sym ct-sched ct-bt ct-fold ct-fromgo \
	ct-toperfetto ct-tochrome
REPORT   = ct-report ct-plot ct-html ct-top
TRACE_C  = $(wildcard sdk/trace/*.c)
RECORD_C = $(wildcard record/*.c)
MAN      = $(wildcard record/*.1 filters/*.1 report/*.1 sdk/*/*.3 sdk/*/*.5 sdk/*/*.7)
# Test programs and the targets they trace: one source, one program.
TEST_C   = $(wildcard t/*.c t/targets/*.c t/zoo/*.c t/bench/*.c t/fuzz/*.c)
TEST_CC  = $(wildcard t/*.cc t/targets/*.cc t/zoo/*.cc t/bench/*.cc)
DEMO     = demo-server demo-load

CC ?= cc
CXX ?= c++
OPT ?= -O2 -g
WARN = -Wall -Wextra
comma = ,
SAN_FLAGS = $(if $(SAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)$(if $(TSAN),-fsanitize=thread)
CPPFLAGS += -Isdk/trace -Isdk/c -Isdk/cpp -Isdk/ctp -I$(O) -D_GNU_SOURCE -DCT_VERSION='"$(VERSION)"'
# The library, the filters and the reports are plain POSIX C11.
POSIX = -U_GNU_SOURCE -D_POSIX_C_SOURCE=200809L
CFLAGS += -std=c11 $(OPT) $(WARN) $(SAN_FLAGS)
CXXFLAGS += -std=c++20 $(OPT) $(WARN) $(SAN_FLAGS)
LDFLAGS += $(SAN_FLAGS)
LDLIBS_TRACE =
LDLIBS_ct-tosql = -lsqlite3
LDLIBS_ct-where = -ljq
# libiberty for its demanglers.
LDLIBS_ct-sym = -ldw -lelf -liberty
LDLIBS_ct-html = -lz -lm
LDLIBS_ct-top = -lncursesw -lpthread
HTML_JS = $(addprefix share/html/,data.js format.js trace.js view.js colors.js chart.js paint.js timeline.js pointer.js findings.js \
	health.js details.js chain.js tables.js tree.js main.js)
GOTRACE = file tables events order merge rules go range map note state sites out

Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-4s %s\n' $(1) $(patsubst $(O)/%,%,$@))

PROGS = $(RECORD:%=$(O)/%) $(FILTERS:%=$(O)/%) $(REPORT:%=$(O)/%)
LIBS  = $(O)/libct.a $(O)/libcttrace.a
TESTS = $(patsubst t/%.c,$(O)/t/%,$(TEST_C)) $(patsubst t/%.cc,$(O)/t/%,$(TEST_CC))

all: $(PROGS) $(LIBS) $(DEMO:%=$(O)/%) $(O)/dropin/ct.c ## build the programs and libraries (the default)
test-programs: $(TESTS)

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(if $(filter sdk/trace/% filters/% report/%,$<),$(POSIX)) $(CFLAGS) -MMD -MP -c -o $@ $<
$(O)/%.o: %.cc
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -c -o $@ $<

$(O)/libct.a: $(O)/sdk/c/ct.o
$(O)/libcttrace.a: $(TRACE_C:%.c=$(O)/%.o)
$(LIBS):
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/ct-record: $(RECORD_C:%.c=$(O)/%.o)
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS) -lpthread
$(FILTERS:%=$(O)/%): $(O)/%: $(O)/filters/%.o $(O)/libcttrace.a
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) $(LDLIBS_TRACE) $(LDLIBS_$*)
$(REPORT:%=$(O)/%): $(O)/%: $(O)/report/%.o $(O)/libcttrace.a
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) $(LDLIBS_TRACE) $(LDLIBS_$*)
$(O)/ct-plot: $(patsubst %.c,$(O)/%.o,$(wildcard report/plot-*.c)) $(patsubst %,$(O)/filters/sched-%.o,spans table hist)
$(O)/report/plot-write.o: $(O)/plot.inc
$(O)/plot.inc: t/embed.sh $(wildcard share/gnuplot/*.gp)
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)for f in $(filter %.gp,$^); do n=$${f##*/}; sh t/embed.sh plot_$${n%.gp} $$f; done >$@
$(O)/ct-report: $(patsubst %.c,$(O)/%.o,$(wildcard report/report-*.c)) $(patsubst %,$(O)/filters/sched-%.o,spans table hist)
$(O)/ct-top: $(patsubst %.c,$(O)/%.o,$(wildcard report/top-*.c))
$(O)/ct-check: $(O)/filters/check-order.o
$(O)/ct-tocsv: $(patsubst %,$(O)/filters/%.o,buf csv-text csv-event csv-life csv-fold csv-part sched-spans sched-table)
$(O)/ct-fromgo: $(patsubst %,$(O)/filters/gotrace-%.o,$(GOTRACE))
$(O)/ct-toperfetto $(O)/ct-tochrome: $(patsubst %,$(O)/filters/%.o,timeline timeline-events timeline-names timeline-tracks buf sched-spans sched-table)
$(O)/ct-lint: $(O)/filters/lint-groups.o $(O)/filters/lint-growth.o
$(O)/ct-sched: $(patsubst %,$(O)/filters/sched-%.o,spans table hist print)
$(O)/ct-bt: $(patsubst %,$(O)/filters/bt-%.o,forest print threads frames)
$(O)/ct-fold: $(patsubst %,$(O)/filters/%.o,sched-spans sched-table fold-chain fold-print)
$(O)/ct-where: $(O)/filters/where-native.o $(O)/filters/where-jq.o
$(O)/filters/where-jq.o: $(O)/jq.inc
$(O)/ct-sym: $(O)/filters/sym-file.o $(O)/filters/sym-names.o
$(O)/jq.inc: t/embed.sh share/jq/ct.jq
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)sh t/embed.sh jq_helpers share/jq/ct.jq >$@
$(O)/ct-tosql: $(O)/filters/buf.o $(patsubst %,$(O)/filters/sql-%.o,rows awaits findings quote dialect feed text out db client)
$(O)/filters/sql-dialect.o: $(O)/sql.inc
$(O)/sql.inc: t/embed.sh t/embed-sql.sh $(wildcard share/sql/*/*)
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)sh t/embed-sql.sh share/sql sqlite postgres mysql clickhouse duckdb >$@
$(O)/ct-html: $(patsubst %,$(O)/report/html-%.o,map lanes sites objects tail coros run pack columns json page)
$(O)/report/ct-html.o: $(O)/html.inc
$(O)/html.inc: t/embed.sh share/html/page.html share/html/page.css $(HTML_JS)
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)sh t/embed.sh html_page share/html/page.html >$@
	$(Q)sh t/embed.sh html_css share/html/page.css >>$@
	$(Q)sh t/embed.sh html_js $(HTML_JS) >>$@

$(patsubst t/%.c,$(O)/t/%,$(TEST_C)): $(O)/t/%: $(O)/t/%.o $(LIBS)
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBS) $(LDLIBS) $(LDLIBS_TRACE) -lpthread
$(O)/t/fuzz/gotrace: $(patsubst %,$(O)/filters/gotrace-%.o,$(GOTRACE)) $(O)/filters/check-order.o
$(O)/t/bench/busy: LDLIBS += -lm
$(O)/t/bench/print: $(patsubst %,$(O)/record/%.o,print event clock stack process)
$(patsubst t/%.cc,$(O)/t/%,$(TEST_CC)): $(O)/t/%: $(O)/t/%.o
	$(call say,LD)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $< $(LDLIBS) -lpthread
$(DEMO:%=$(O)/%): $(O)/demo-%: $(O)/t/demo/%.o
	$(call say,LD)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $< $(LDLIBS) -lpthread

# The C probe as the two files to drop into a program: ctp.h and ct-stack.h are copied into ct.c.
$(O)/dropin/ct.c: sdk/c/ct.c sdk/c/ct.h sdk/c/ct-stack.h sdk/ctp/ctp.h t/dropin.sh
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)sh t/dropin.sh $(@D)

deps: ## install what is missing (FLEET=1: Spark and today's ClickHouse, too: 1.4 GB)
	@sh t/deps.sh
	@FLEET='$(FLEET)' sh t/fleet-deps.sh

demo: all ## record a server that loses 47 coroutines and say which (BUG=0: the mended server)
	@sh t/demo/demo.sh $(O) $(or $(BUG),1)

screenshots: demo ## take the picture of the page that the README shows, of the demo
	@$(O)/ct-html $(O)/demo.jsonl >$(O)/demo.html && python3 t/html-shot.py $(O)/demo.html report/page.png

plots: all ## draw the plot that the README shows, from the demo
	@sh t/demo/plots.sh $(O)

check: all test-programs ## run the tests (SAN=1: under ASan and UBSan; V=1: verbose)
	@O='$(abspath $(O))' CC='$(CC)' CXX='$(CXX)' SAN='$(SAN)' sh t/check.sh $(if $(V),-v) $(T)

bench: all test-programs ## measure the speeds that the README names, as ratios in one run (FLEET=1: databases at 1 and 10 M events)
	@O='$(abspath $(O))' sh t/bench/$(if $(FLEET),fleet,bench).sh

install: all ## install under PREFIX (default /usr/local), DESTDIR in front
	@O='$(O)' bindir='$(bindir)' libdir='$(libdir)' incdir='$(incdir)' mandir='$(mandir)' datadir='$(datadir)' \
	  PREFIX='$(PREFIX)' VERSION='$(VERSION)' PROGS='$(PROGS)' LIBS='$(LIBS)' MAN='$(MAN)' sh t/install.sh
uninstall: ## remove what install put there
	@O='$(O)' bindir='$(bindir)' libdir='$(libdir)' incdir='$(incdir)' mandir='$(mandir)' datadir='$(datadir)' \
	  PROGS='$(PROGS)' LIBS='$(LIBS)' MAN='$(MAN)' sh t/install.sh uninstall

clean: ## remove everything built
	rm -rf build build-san build-tsan

help: ## this list
	@sed -n 's/^\([a-z][a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

.PHONY: all test-programs deps demo screenshots plots check bench install uninstall clean help
.SECONDARY:
.DELETE_ON_ERROR:
-include $(shell find $(O) -name '*.d' 2>/dev/null)
