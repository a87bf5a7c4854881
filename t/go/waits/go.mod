module corotrace.test/waits

go 1.22
