// A real sshd on loopback and a real Slurm of one node, each with its own configuration, keys, ports and folders,
// started by a test and gone with it.
#pragma once
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

#include <memory>
#include <vector>

namespace aicf::test {

/// A port of 127.0.0.1 that nobody listens on just now.
[[nodiscard]] int free_port();
/// Processes with this text as one of their variables ("MARK=7"), of the named program.
[[nodiscard]] std::vector<int> marked(const QByteArray& variable, const QByteArray& program);

class Sshd {
 public:
  /// Empty, or why it cannot be.
  [[nodiscard]] QString start();
  ~Sshd();
  /// Words for ssh that reach it, and nothing of the user's own.
  [[nodiscard]] QStringList options() const;
  [[nodiscard]] QString host() const;
  /// A signal to all its connections; the server itself stays.
  void signal_connections(int signal) const;
  [[nodiscard]] QByteArray log();

 private:
  QTemporaryDir folder_;
  QProcess server_;
  int port_ = 0;
};

class Slurm {
 public:
  [[nodiscard]] QString start(); ///< sets SLURM_CONF for this process and its children
  ~Slurm();
  [[nodiscard]] QString jobs(); ///< as squeue lists them, a line each
  [[nodiscard]] QByteArray log() const;

 private:
  [[nodiscard]] QString write_configuration(const QString& host);
  QTemporaryDir folder_;
  QProcess munge_, control_, node_;
};

} // namespace aicf::test
