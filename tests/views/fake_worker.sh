#!/bin/sh
# A worker that behaves as its first argument says; aicf.worker/1 on standard input and output.
say() { printf '%s\n' "$1"; }
hello() { say '{"jsonrpc":"2.0","method":"hello","params":{"protocol":"aicf.worker/1","build":"fake","host":"fake","devices":[],"capabilities":["synth"]}}'; }
variant() { say "{\"jsonrpc\":\"2.0\",\"method\":\"result\",\"params\":{\"job\":1,\"seq\":$1,\"kind\":\"variant\",\"body\":{\"id\":\"v$1\",\"status\":\"validated\",\"plan\":{\"family\":\"row\",\"choices\":{\"state\":\"$2\",\"threads\":$3}},\"source\":\"line one\\nthreads $3\\n\",\"compile\":{\"registers\":32,\"shared_bytes\":0,\"spill_bytes\":0},\"validation\":{\"passed\":true,\"max_rel_err\":1e-7,\"max_ulp\":1,\"bound\":1e-6,\"worst_ratio\":0.1,\"checks\":[{\"id\":\"random\",\"detail\":\"N=3\",\"passed\":true}],\"faults\":[]},\"counters\":[{\"id\":\"global_load_sectors\",\"unit\":\"sectors\",\"source\":\"exact\",\"value\":$4}]}}}"; }
done_() { say "{\"jsonrpc\":\"2.0\",\"method\":\"done\",\"params\":{\"job\":1,\"status\":\"$1\",\"diagnostics\":[$2]}}"; }
progress() { say "{\"jsonrpc\":\"2.0\",\"method\":\"progress\",\"params\":{\"job\":1,\"done\":$1,\"total\":2,\"text\":\"step $1\"}}"; }

case "$1" in
  silent) read -r _; read -r _; exit 0 ;;                      # never says hello
  banner) say 'Welcome to the machine'; say '{"not": "a message"}' ;;
  foreign) say '{"jsonrpc":"2.0","method":"hello","params":{"protocol":"other/9"}}'; read -r _; exit 0 ;;
esac
hello
read -r start
case "$1" in
  good | banner)
    progress 1; variant 0 online 128 100; progress 2; variant 1 two_pass 256 200; done_ ok ;;
  crash) variant 0 online 128 100; echo 'the last words' >&2; kill -SEGV $$ ;;
  quits) variant 0 online 128 100; exit 7 ;;
  hang) variant 0 online 128 100; while read -r _; do :; done ;; # no beat, deaf to cancel
  garbage) echo 'Segmentation fault (core dumped)' ;;
  refuses) done_ refused '{"severity":"error","code":"plan.none","file":"a.op","line":3,"column":5,"length":2,"message":"no family fits","hint":"tick more"}' ;;
  echo) case "$start" in *'"op":"softmax"'*) done_ ok ;; *) done_ failed ;; esac ;;
esac
while read -r line; do case "$line" in *shutdown*) exit 0 ;; esac; done
