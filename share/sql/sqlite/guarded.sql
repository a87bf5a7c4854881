;
DROP TABLE corotrace_odd;
