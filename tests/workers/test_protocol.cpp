// What both ends of aicf.worker/1 share: lines, hostile texts, evidence that is carried, and what is started for a
// target.
#include "core/base/json.hpp"
#include "core/evidence/store.hpp"
#include "synth/workers/carried_evidence.hpp"
#include "synth/workers/protocol.hpp"
#include "synth/workers/target.hpp"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>
#include <limits>

using namespace aicf;
using nlohmann::json;

namespace {

WorkerTarget by_ssh(const std::string& program) {
  WorkerTarget t;
  t.name = "far";
  t.kind = WorkerTarget::Kind::ssh;
  t.host = "me@far";
  t.program = program;
  return t;
}

Evidence row() {
  Evidence e;
  e.key = {"synth", sha256("s"), sha256("o"), {}, "M=4,N=8", "bf16", "NVIDIA X", "580", "nvrtc 13.0", "cuda-events"};
  e.started = "2026-01-31T12:34:10.000Z";
  e.host = "far";
  e.command = "synth softmax variant 0123456789ab";
  e.status = "validated";
  e.seed = 0xfffffffffffffff0U;
  e.seconds = 0.1;
  const double inf = std::numeric_limits<double>::infinity();
  e.metrics = {{Metric::Source::measured, "time_us.cold", "us", "median", "", 38.600000000000001, 38.1, 39.7, 100},
               {Metric::Source::not_permitted, "dram_bytes", "bytes", "", "", 0, 0, 0, 0},
               {Metric::Source::exact, "odd", "", "", "", std::nan(""), -inf, inf, 1}};
  return e;
}

} // namespace

class TestProtocol : public QObject {
  Q_OBJECT
 private slots:
  void linesAreWholeHoweverTheyCome() {
    const std::string text = "one\n\n  \ntwo three\r\n\xc3\xa9\nlast";
    for (std::size_t step = 1; step <= text.size(); ++step) {
      LineBuffer buffer;
      std::vector<std::string> lines;
      for (std::size_t at = 0; at < text.size(); at += step)
        for (std::string& line : buffer.feed(std::string_view(text).substr(at, step))) lines.push_back(std::move(line));
      QVERIFY(lines == (std::vector<std::string>{"one", "two three\r", "\xc3\xa9"}));
    }
  }

  void aLineTooLongIsDroppedAndTheNextOneIsWhole() {
    LineBuffer buffer(10);
    std::vector<std::string> lines;
    for (const char* part : {"0123456789", "0", "1234\nshort\n", "01234567890\n0123456789\n"})
      for (std::string& line : buffer.feed(part)) lines.push_back(std::move(line));
    QVERIFY(lines == (std::vector<std::string>{"short", "0123456789"}));
    QCOMPARE(buffer.dropped(), std::size_t{2});
  }

  void hostileLinesAreNoMessages() {
    std::string why;
    for (const std::string& line :
         {std::string("{"), std::string("[]"), std::string("null"), std::string(R"({"method":3})"),
          std::string(R"({"method":"x","params":[1]})"), std::string(100000, '['), std::string("\xff\xfe{}")})
      QVERIFY2(!worker_message(line, why), line.substr(0, 40).c_str());
    auto message = worker_message(R"({"jsonrpc":"2.0","method":"cancel","params":{"job":7}})", why);
    QVERIFY(message && message->method == "cancel" && message->params["job"] == 7);
    QCOMPARE(worker_line("beat", json::object()),
             std::string("{\"jsonrpc\":\"2.0\",\"method\":\"beat\",\"params\":{}}\n"));
    const std::string two = worker_line("log", {{"text", "a\nb"}}); // a line end inside a text does not end the line
    QCOMPARE(std::count(two.begin(), two.end(), '\n'), std::ptrdiff_t{1});
  }

  void textsMoveNoCursor() {
    QCOMPARE(plain_text("a\x1b[2Jb\rc\x7f\td\ne"), std::string("a?[2Jb?c?\td\ne"));
    QCOMPARE(plain_text("\xc2\x9b"
                        "31m \xc3\xa9"),
             std::string("??31m \xc3\xa9")); // CSI as one C1 character; é stays
    auto ds = diagnostics_from(json::parse(
        R"([{"severity":"warning","code":"a.b","file":"x\u001b","line":99999999999999,"message":"m"},3,{"line":-4}])"));
    QCOMPARE(ds.size(), std::size_t{2});
    QVERIFY(ds[0].severity == Diagnostic::Severity::warning && ds[0].at.file == "x?" && ds[0].at.line > 0);
    QCOMPARE(ds[1].at.line, 0);
  }

  void evidenceIsCarriedWhole() {
    const std::vector<Artefact> artefacts{{"variant", "{}"}, {"cuda", "__global__ void k() { /* é */ }\n"}};
    const json there = json::parse(carried(row(), artefacts).dump());
    auto back = evidence_from(there);
    QVERIFY2(back, back ? "" : back.diagnostics.front().message.c_str());
    QTemporaryDir folder;
    auto ours = Store::open(folder.filePath("a.sqlite").toStdString());
    auto theirs = Store::open(folder.filePath("b.sqlite").toStdString());
    QCOMPARE(*ours->put(back->row, back->artefacts), *theirs->put(row(), artefacts));
    QCOMPARE(*ours->put(back->row, back->artefacts), there["row"]["id"].get<std::string>());
    QVERIFY(ours->integrity_check()->empty());
  }

  void damagedEvidenceStaysOut() {
    const json good = carried(row(), {{"cuda", "text"}});
    auto damaged = [&](auto change) {
      json body = good;
      change(body);
      auto read = evidence_from(body);
      return !read && read.diagnostics.front().code == "evidence.damaged";
    };
    QVERIFY(evidence_from(good));
    QVERIFY(damaged([](json& b) { b["row"]["seconds"] = 0.2; }));
    QVERIFY(damaged([](json& b) { b["row"]["metrics"][0]["value"] = 1; }));
    QVERIFY(damaged([](json& b) { b["artefacts"][0]["data"] = "other"; }));
    QVERIFY(damaged([](json& b) { b["row"]["key"].erase("shape"); }));
    QVERIFY(damaged([](json& b) { b["row"]["key"]["source"] = "../../etc/passwd"; }));
    QVERIFY(damaged([](json& b) { b["row"]["id"] = std::string(64, '0'); }));
    QVERIFY(damaged([](json& b) { b = json::array(); }));
    QVERIFY(damaged([](json& b) { b["row"]["metrics"] = 3; }));
  }

  /// ssh joins its words with blanks and a shell reads them: that shell must find each word as it was.
  void aShellFindsEachWordAsItWas() {
    WorkerTarget t = by_ssh("/opt/a folder/$(touch x)/`id`/;&|<>*?[a]{b,c}~#\"/aicf");
    t.environment = {{"AICF_ATLAS", "/data/$HOME atlas"}, {"EMPTY", ""}};
    auto command = command_of(t);
    QVERIFY2(command, command ? "" : command.diagnostics.front().message.c_str());
    const auto end = std::find(command->begin(), command->end(), "--");
    QVERIFY(end != command->end() && *(end + 1) == "me@far");
    QString remote;
    for (auto word = end + 2; word != command->end(); ++word)
      remote += (remote.isEmpty() ? "" : " ") + QString::fromStdString(*word);
    QTemporaryDir folder;
    for (const char* shell : {"/bin/sh", "/bin/bash"}) {
      QProcess process;
      process.setWorkingDirectory(folder.path());
      process.start(shell, {"-c", "printf '%s\\n' " + remote});
      QVERIFY(process.waitForFinished());
      QCOMPARE(process.readAllStandardOutput(),
               QByteArray("env\nAICF_ATLAS=/data/$HOME atlas\nEMPTY=\n") + t.program.c_str() + "\nworker\n");
    }
    QVERIFY(QDir(folder.path()).isEmpty());
  }

  void wordsThatShellsDisagreeAboutAreRefused() {
    for (const char* program : {"a'b", "a\\b", "a!b", "a\nb",
                                "a\x7f"
                                "b",
                                "\xc3\xa9", "-aicf"}) {
      auto command = command_of(by_ssh(program));
      QVERIFY2(!command && command.diagnostics.front().code == "target.word", program);
    }
    for (const char* host : {"", "-oProxyCommand=id", "a b", "a;b", "ssh://x", "$(id)", "a/b"}) {
      WorkerTarget t = by_ssh("aicf");
      t.host = host;
      QVERIFY2(!command_of(t), host);
    }
    WorkerTarget t = by_ssh("aicf");
    t.environment = {{"A B", "x"}};
    QVERIFY(!command_of(t));
    t.environment = {{"A", "x'y"}};
    QVERIFY(!command_of(t));
  }

  void withoutAShellWordsGoAsTheyAre() {
    WorkerTarget t;
    t.kind = WorkerTarget::Kind::srun;
    t.options = {"--gpus=1", "--partition=a b"};
    t.program = "/x/it's";
    QVERIFY(*command_of(t) == (std::vector<std::string>{"srun", "--ntasks=1", "--nodes=1", "--gpus=1",
                                                        "--partition=a b", "/x/it's", "worker"}));
    t = {};
    t.program = "/x/aicf";
    t.environment = {{"A", "1"}};
    QVERIFY(*command_of(t) == (std::vector<std::string>{"env", "A=1", "/x/aicf", "worker"}));
  }

  void targetsAreReadAndFaultsAreNamed() {
    QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("targets.json").toStdString();
    QCOMPARE(load_targets(file)->size(), std::size_t{1}); // no file: this machine
    QCOMPARE(load_targets(file)->front().name, std::string("local"));
    auto write = [&](const json& targets) {
      std::ofstream(file) << json{{"schema", "aicf.targets/1"}, {"targets", targets}};
    };
    write({{{"name", "a"}, {"kind", "ssh"}, {"host", "me@h"}, {"options", {"-p", "2222"}}, {"workers", 3}},
           {{"name", "b"}, {"kind", "srun"}, {"memory_mb", 100}, {"environment", {{"A", "x"}}}}});
    auto read = load_targets(file);
    QVERIFY2(read, read ? "" : read.diagnostics.front().message.c_str());
    QCOMPARE(read->size(), std::size_t{3});
    QCOMPARE((*read)[1].workers, 3);
    QVERIFY(to_json(*targets_from_json(to_json(*read), "again")) == to_json(*read));
    QVERIFY(find_target("b", file));
    auto none = find_target("c", file);
    QVERIFY(!none && none.diagnostics.front().message.find("local, a, b") != std::string::npos);
    for (const json& wrong :
         {json{{"name", "sm_90"}}, json{{"name", ""}}, json{{"name", "x"}, {"kind", "telnet"}},
          json{{"name", "x"}, {"kind", "ssh"}}, json{{"name", "x"}, {"kind", "ssh"}, {"host", "-x"}},
          json{{"name", "x"}, {"host", "h"}}, json{{"name", "x"}, {"workers", 0}},
          json{{"name", "x"}, {"workers", "2"}}, json{{"name", "x"}, {"options", {"a"}}},
          json{{"name", "x"}, {"color", "red"}}, json{{"name", 3}}, json(3),
          json{{"name", "x"}, {"kind", "ssh"}, {"host", "h"}, {"program", "a'b"}}}) {
      write({wrong});
      QVERIFY2(!load_targets(file), wrong.dump().c_str());
    }
    write({{{"name", "x"}}, {{"name", "x"}}});
    QVERIFY(!load_targets(file));
    std::ofstream(file) << "{";
    QVERIFY(!load_targets(file));
  }
};

QTEST_GUILESS_MAIN(TestProtocol)
#include "test_protocol.moc"
