#include "tests/workers/servers.hpp"

#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QStandardPaths>
#include <QThread>

#include <csignal>

namespace aicf::test {
namespace {

bool write(const QString& path, const QByteArray& text, QFile::Permissions permissions) {
  QFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.setPermissions(permissions);
}

constexpr QFile::Permissions own = QFile::ReadOwner | QFile::WriteOwner;

QString find(const char* program) {
  return QStandardPaths::findExecutable(program, QString::fromLocal8Bit(qgetenv("PATH")).split(':') +
                                                     QStringList{"/usr/sbin", "/sbin", "/usr/bin"});
}

/// Its output; nothing when it fails.
QByteArray output_of(const QString& program, const QStringList& arguments, QString* why = nullptr) {
  QProcess process;
  process.start(program, arguments);
  const bool good = process.waitForFinished(20000) && process.exitCode() == 0;
  if (!good && why != nullptr) *why = program + ": " + process.errorString() + ' ' + process.readAllStandardError();
  return good ? process.readAllStandardOutput() : QByteArray();
}

QString user() { return QString::fromLocal8Bit(getpwuid(getuid())->pw_name); }

void end(QProcess& process) {
  if (process.state() == QProcess::NotRunning) return;
  process.terminate();
  if (!process.waitForFinished(5000)) {
    process.kill();
    process.waitForFinished(2000);
  }
}

QByteArray contents(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

int free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address); // NOLINT: the interface's own form
  const bool good = bind(fd, generic, size) == 0 && getsockname(fd, generic, &size) == 0;
  close(fd);
  return good ? ntohs(address.sin_port) : 0;
}

std::vector<int> marked(const QByteArray& variable, const QByteArray& program) {
  std::vector<int> found;
  for (const QString& name : QDir("/proc").entryList(QDir::Dirs)) {
    bool number = false;
    const int pid = name.toInt(&number);
    if (!number) continue;
    const QByteArray first = contents("/proc/" + name + "/cmdline").split('\0').value(0);
    if (first.endsWith(program) && contents("/proc/" + name + "/environ").split('\0').contains(variable))
      found.push_back(pid);
  }
  return found;
}

QString Sshd::start() {
  const QString sshd = find("sshd"), keygen = find("ssh-keygen"), ssh = find("ssh");
  if (sshd.isEmpty() || keygen.isEmpty() || ssh.isEmpty()) return "sshd, ssh or ssh-keygen is not installed";
  if (getuid() == 0) QDir().mkpath("/run/sshd"); // where it drops its rights into
  QString why;
  for (const char* key : {"host", "user"}) {
    output_of(keygen, {"-q", "-t", "ed25519", "-N", "", "-f", folder_.filePath(key)}, &why);
    if (!why.isEmpty()) return why;
  }
  port_ = free_port();
  const QString at = QString("[127.0.0.1]:%1 ").arg(port_);
  write(folder_.filePath("known_hosts"), at.toUtf8() + contents(folder_.filePath("host.pub")), own);
  const QString configuration = QString("Port %1\nListenAddress 127.0.0.1\nHostKey %2/host\nPidFile none\n"
                                        "AuthorizedKeysFile %2/user.pub\nStrictModes no\nUsePAM no\n"
                                        "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
                                        "PermitRootLogin prohibit-password\nAllowUsers %3\nLogLevel VERBOSE\n")
                                    .arg(port_)
                                    .arg(folder_.path(), user());
  write(folder_.filePath("sshd_config"), configuration.toUtf8(), own);
  server_.setProcessChannelMode(QProcess::MergedChannels);
  server_.start(sshd, {"-D", "-e", "-f", folder_.filePath("sshd_config")});
  if (!server_.waitForStarted()) return sshd + ": " + server_.errorString();
  QElapsedTimer clock;
  for (clock.start(); clock.elapsed() < 10000;) {
    if (server_.waitForFinished(100)) return "sshd ended: " + server_.readAll();
    why.clear();
    if (output_of(ssh, QStringList{"-T", "-o", "BatchMode=yes"} + options() + QStringList{"--", host(), "echo ready"},
                  &why) == "ready\n")
      return {};
  }
  return "nobody can log in: " + why + server_.readAll();
}

Sshd::~Sshd() {
  signal_connections(SIGCONT);
  signal_connections(SIGKILL);
  end(server_);
}

QStringList Sshd::options() const {
  return {"-F", "none",
          "-p", QString::number(port_),
          "-i", folder_.filePath("user"),
          "-o", "IdentitiesOnly=yes",
          "-o", "UserKnownHostsFile=" + folder_.filePath("known_hosts"),
          "-o", "StrictHostKeyChecking=yes"};
}

QString Sshd::host() const { return user() + "@127.0.0.1"; }

void Sshd::signal_connections(int signal) const {
  if (server_.state() == QProcess::NotRunning) return;
  QList<qint64> parents{server_.processId()};
  for (int i = 0; i < parents.size(); ++i)
    for (const QString& name : QDir("/proc").entryList(QDir::Dirs)) {
      const QByteArray stat = contents("/proc/" + name + "/stat");
      const QList<QByteArray> fields = stat.mid(stat.lastIndexOf(')') + 2).split(' ');
      const bool sshd = stat.contains("(sshd");
      if (!sshd || fields.size() < 2 || fields[1].toLongLong() != parents[i]) continue;
      parents << name.toLongLong();
      kill(name.toInt(), signal);
    }
}

QByteArray Sshd::log() { return server_.readAll(); }

QString Slurm::write_configuration(const QString& host) {
  const QString path = folder_.path();
  const QString text =
      QString("ClusterName=test\nSlurmctldHost=%1(127.0.0.1)\nSlurmUser=%2\nSlurmdUser=%2\n"
              "AuthType=auth/munge\nCredType=cred/munge\nAuthInfo=socket=%3/munge/socket\n"
              "SlurmctldPort=%4\nSlurmdPort=%5\nCommunicationParameters=NoInAddrAny,NoCtldInAddrAny\n"
              "StateSaveLocation=%3/state\nSlurmdSpoolDir=%3/spool\n"
              "SlurmctldPidFile=%3/slurmctld.pid\nSlurmdPidFile=%3/slurmd.pid\n"
              "SlurmctldLogFile=%3/slurmctld.log\nSlurmdLogFile=%3/slurmd.log\n"
              "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMpiDefault=none\n"
              "JobAcctGatherType=jobacct_gather/none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n"
              "SlurmdParameters=config_overrides\nReturnToService=2\nInactiveLimit=0\nKillWait=2\nMinJobAge=2\n"
              "SchedulerParameters=sched_min_interval=100000,sched_interval=1\n"
              "NodeName=%1 NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN\n"
              "PartitionName=test Nodes=%1 Default=YES MaxTime=INFINITE State=UP\n")
          .arg(host, user(), path)
          .arg(free_port())
          .arg(free_port());
  QDir(path).mkpath("state");
  QDir(path).mkpath("spool");
  return write(path + "/slurm.conf", text.toUtf8(), own) ? QString() : "cannot write " + path + "/slurm.conf";
}

QString Slurm::start() {
  const QString munged = find("munged"), control = find("slurmctld"), node = find("slurmd");
  if (munged.isEmpty() || control.isEmpty() || node.isEmpty() || find("srun").isEmpty())
    return "munged, slurmctld, slurmd or srun is not installed";
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  const QString host = QString::fromLocal8Bit(name).section('.', 0, 0);
  const QString key = folder_.filePath("key");
  QDir(folder_.path()).mkpath("key");
  QDir(folder_.path()).mkpath("munge");
  constexpr QFile::Permissions enter = QFile::ExeOwner | QFile::ExeGroup | QFile::ExeOther;
  QFile::setPermissions(folder_.path(), own | enter | QFile::ReadGroup | QFile::ReadOther);
  QFile::setPermissions(key, own | QFile::ExeOwner);
  QFile::setPermissions(folder_.filePath("munge"), own | enter | QFile::ReadGroup | QFile::ReadOther);
  QFile random("/dev/urandom");
  if (!random.open(QIODevice::ReadOnly) || !write(key + "/munge.key", random.read(128), own))
    return "no key for munge can be made";
  munge_.setProcessChannelMode(QProcess::MergedChannels);
  munge_.start(munged, {"--foreground", "--force", "--key-file=" + key + "/munge.key",
                        "--socket=" + folder_.filePath("munge/socket"), "--pid-file=" + folder_.filePath("munge/pid"),
                        "--log-file=" + key + "/munge.log", "--seed-file=" + key + "/munge.seed"});
  QElapsedTimer clock;
  for (clock.start(); !QFile::exists(folder_.filePath("munge/socket"));) {
    if (munge_.waitForFinished(50) || clock.elapsed() > 10000) return "munged does not start: " + munge_.readAll();
  }
  if (QString why = write_configuration(host); !why.isEmpty()) return why;
  const QString conf = folder_.filePath("slurm.conf");
  qputenv("SLURM_CONF", conf.toUtf8());
  for (QProcess* p : {&control_, &node_}) p->setProcessChannelMode(QProcess::MergedChannels);
  control_.start(control, {"-D", "-i", "-f", conf});
  node_.start(node, {"-D", "-N", host, "-f", conf});
  QString why;
  for (clock.restart(); clock.elapsed() < 30000; QThread::msleep(200)) {
    if (control_.waitForFinished(1)) return "slurmctld ended: " + control_.readAll() + log();
    if (node_.waitForFinished(1)) return "slurmd ended: " + node_.readAll() + log();
    if (output_of("sinfo", {"-h", "-o", "%t"}, &why).trimmed() == "idle") return {};
  }
  return "the node does not come up: " + why + log();
}

Slurm::~Slurm() {
  if (control_.state() != QProcess::NotRunning) output_of("scancel", {"--user=" + user(), "--signal=KILL"});
  end(node_);
  end(control_);
  end(munge_);
}

QString Slurm::jobs() { return QString::fromUtf8(output_of("squeue", {"-h", "-o", "%i %T"})).trimmed(); }

QByteArray Slurm::log() const {
  return contents(folder_.filePath("slurmctld.log")).right(2000) + contents(folder_.filePath("slurmd.log")).right(2000);
}

} // namespace aicf::test
