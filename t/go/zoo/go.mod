module corotrace.test/zoo

go 1.22
