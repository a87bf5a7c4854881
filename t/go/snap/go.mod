module corotrace.test/snap

go 1.21
