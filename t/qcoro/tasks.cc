// tasks.cc - tasks of QCoro in Qt's event loop, traced by the recipe for its header. It ends after a while:
//
//	tasks healthy		twenty that each await a child, which pauses on a timer
//	tasks crosswise		two that await each other
#include <cstdlib>
#include <cstring>
#include <chrono>
#include <QCoreApplication>
#include <QTimer>
#include <qcoro/qcorotask.h>
#include <qcoro/qcorotimer.h>

using namespace std::chrono_literals;

static QCoro::Task<int> pauses(int n)
{
	QTimer t;

	t.setSingleShot(true);
	t.start(std::chrono::milliseconds(10 + n));
	co_await t;
	co_return n;
}
static QCoro::Task<> awaits_child(int n, int &sum)
{
	for (int i = 0; i < 5; i++)
		sum += co_await pauses(n);
}

static QCoro::Task<> one, two;
static QCoro::Task<> awaits(QCoro::Task<> &other)
{
	co_await pauses(10);
	co_await other;						// @crosswise
}

int main(int argc, char **argv)
{
	QCoreApplication app(argc, argv);
	bool crosswise = argc > 1 && !std::strcmp(argv[1], "crosswise");
	int sum = 0;

	ct_thread(CT_WORKER, "Qt");
	QTimer::singleShot(crosswise ? 500ms : 2000ms, [&] { std::quick_exit(crosswise || sum == 950 ? 0 : 1); });
	if (crosswise) {
		one = awaits(two);
		two = awaits(one);
	} else {
		for (int i = 0; i < 20; i++)
			awaits_child(i, sum);
	}
	return app.exec();
}
