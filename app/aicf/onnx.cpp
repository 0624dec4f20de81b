// aicf onnx: a model of one operator as a definition, and that definition and its kernels against the model's data.
#include "app/aicf/command.hpp"
#include "synth/onnx_check.hpp"

#include <filesystem>
#include <iostream>

namespace aicf::cli {
namespace {

struct Options {
  std::string model, data, backend = "emulator";
  int variants = 2;
  bool json = false;
};

int onnx_command(const Options& o, std::stop_token stop) {
  if (std::error_code ignored; !o.data.empty() && !std::filesystem::is_directory(o.data, ignored))
    return complain("--check: " + o.data + " is no folder");
  OnnxCheckOptions options{o.backend, static_cast<std::size_t>(o.variants)};
  auto check = check_onnx(o.model, o.data, options, std::move(stop));
  if (!check) {
    int status = report(check);
    bool unsupported = std::any_of(check.diagnostics.begin(), check.diagnostics.end(),
                                   [](const Diagnostic& d) { return d.code == "onnx.unsupported"; });
    return unsupported ? negative : status;
  }
  if (o.json) {
    print_json(to_json(*check));
  } else {
    std::cout << check->op.text;
    std::vector<std::vector<std::string>> rows;
    for (const OnnxComparison& c : check->comparisons) {
      std::array<char, 32> error{};
      std::snprintf(error.data(), error.size(), "%.3g", c.max_rel_err);
      rows.push_back({c.of, c.passed ? "agrees" : "differs", error.data(), c.how, c.detail});
    }
    if (!rows.empty()) std::cout << table({"computed by", "with the data", "max rel err", "form", ""}, rows);
  }
  return check->passed() ? done : negative;
}

const RegisterCommand onnx{
    {"onnx", "an ONNX model of one operator as a definition, checked against its data", [](CLI::App& app) {
       auto o = std::make_shared<Options>();
       app.add_option("model", o->model, "a .onnx file")->required();
       app.add_option("--check", o->data, "folder with input_0.pb …, output_0.pb …");
       app.add_option("--backend", o->backend, "emulator, cuda, or reference (no kernels)")
           ->check(CLI::IsMember({"emulator", "cuda", "reference"}));
       app.add_option("--variants", o->variants, "kernels of different form to run")->check(CLI::Range(1, 100));
       app.add_flag("--json", o->json, "one JSON document on standard output");
       return [o](std::stop_token stop) { return onnx_command(*o, std::move(stop)); };
     }}};

} // namespace
} // namespace aicf::cli
