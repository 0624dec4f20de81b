// Writes the first inputs of fuzz_ptx into a folder: the program of each instruction case, and random programs.
#include "core/exec/selftest/instruction_cases.hpp"
#include "core/exec/selftest/random_program.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>

using namespace aicf::selftest;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: fuzz_seeds FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder(argv[1]);
  std::filesystem::create_directories(folder);
  std::size_t n = 0;
  const auto write = [&](const std::string& text) { std::ofstream(folder / ("seed" + std::to_string(n++))) << text; };
  auto cases = instruction_cases();
  for (const InstructionCase& c : collective_cases()) cases.push_back(c);
  for (const InstructionCase& c : cases) write(instruction_program({&c, 1}));
  for (std::uint64_t seed = 1; seed <= 100; ++seed) write(random_program(seed).ptx());
  std::cout << n << " seeds\n";
}
