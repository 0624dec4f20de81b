#!/bin/sh
# A worker that behaves as its first argument says; aicf.worker/1 on standard input and output, job after job.
say() { printf '%s\n' "$1"; }
hello() { say '{"jsonrpc":"2.0","method":"hello","params":{"protocol":"aicf.worker/1","build":"fake","host":"fake","devices":[],"capabilities":["synth"]}}'; }
variant() { say "{\"jsonrpc\":\"2.0\",\"method\":\"result\",\"params\":{\"job\":$job,\"seq\":$1,\"kind\":\"variant\",\"body\":{\"id\":\"v$1\",\"status\":\"validated\",\"plan\":{\"family\":\"row\",\"choices\":{\"state\":\"$2\",\"threads\":$3}},\"source\":\"line one\\nthreads $3\\n\",\"compile\":{\"registers\":32,\"shared_bytes\":0,\"spill_bytes\":0},\"validation\":{\"passed\":true,\"max_rel_err\":1e-7,\"max_ulp\":1,\"bound\":1e-6,\"worst_ratio\":0.1,\"checks\":[{\"id\":\"random\",\"detail\":\"N=3\",\"passed\":true}],\"faults\":[]},\"counters\":[{\"id\":\"global_load_sectors\",\"unit\":\"sectors\",\"source\":\"exact\",\"value\":$4}]}}}"; }
done_() { say "{\"jsonrpc\":\"2.0\",\"method\":\"done\",\"params\":{\"job\":$job,\"status\":\"$1\",\"diagnostics\":[$2]}}"; }
progress() { say "{\"jsonrpc\":\"2.0\",\"method\":\"progress\",\"params\":{\"job\":$job,\"done\":$1,\"total\":2,\"text\":\"step $1\"}}"; }
log() { say "{\"jsonrpc\":\"2.0\",\"method\":\"log\",\"params\":{\"job\":$job,\"text\":\"$1\"}}"; }

case "$1" in
  silent) read -r _; read -r _; exit 0 ;;                      # never says hello
  banner) say 'Welcome to the machine'; say '{"not": "a message"}' ;;
  foreign) say '{"jsonrpc":"2.0","method":"hello","params":{"protocol":"other/9"}}'; read -r _; exit 0 ;;
esac
hello
while read -r line; do
  case "$line" in
    *'"method":"shutdown"'*) exit 0 ;;
    *'"method":"start"'*) ;;
    *) continue ;;
  esac
  job=${line#*\"job\":}
  job=${job%%[,\}]*}
  case "$1" in
    good | banner)
      progress 1; variant 0 online 128 100; progress 2; variant 1 two_pass 256 200; done_ ok ;;
    once) # the first of all its processes crashes, those after it work; $2: where it notes that
      variant 0 online 128 100
      if [ ! -e "$2" ]; then : >"$2"; kill -SEGV $$; fi
      done_ ok ;;
    meet) # ends when two of its processes are at work at the same time; $2: a folder for their names
      : >"$2/$$"
      until [ "$(ls "$2" | wc -l)" -ge 2 ]; do sleep 0.02; done
      done_ ok ;;
    crash) variant 0 online 128 100; echo 'the last words' >&2; kill -SEGV $$ ;;
    quits) variant 0 online 128 100; exit 7 ;;
    hang) variant 0 online 128 100; while read -r _; do :; done ;; # no beat, deaf to cancel
    garbage) echo 'Segmentation fault (core dumped)' ;;
    logs) i=0; while [ $i -lt 300 ]; do log "line $i"; i=$((i + 1)); done; done_ ok ;;
    refuses) done_ refused '{"severity":"error","code":"plan.none","file":"a.op","line":3,"column":5,"length":2,"message":"no family fits","hint":"tick more"}' ;;
    echo) case "$line" in *'"op":"softmax"'*) done_ ok ;; *) done_ failed ;; esac ;;
  esac
done
