SELECT coalesce(max(run) + 1, 0) AS first_run FROM {runs} \gset
SELECT set_config('corotrace.run', :'first_run', true) \g /dev/null
