#include "core/kernel/cuda_printer.hpp"

#include "core/kernel/cuda_expr.hpp"
#include "core/kernel/walk.hpp"

#include <algorithm>
#include <stdexcept>

namespace aicf::ir {
namespace {

class Printing {
 public:
  explicit Printing(const Kernel& kernel) : k(kernel), e(kernel, p) {}

  CudaText run() {
    barriers();
    region(k.body, 1, true);
    std::string head;
    for (const std::string& line : k.about) head += "// " + line + "\n";
    std::string types = signature(); // first: it may need an alias
    std::string before = head + p.text() + "\n" + types;
    auto lines = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    CudaText out{before + body_ + "}\n", notes_, dynamic_bytes_};
    for (SourceNote& n : out.notes) n.line += lines;
    return out;
  }

 private:
  const Kernel& k;
  CudaPreamble p;
  CudaExpressions e;
  std::string body_;
  std::vector<SourceNote> notes_;
  int line_ = 1; ///< of the next line of the body
  std::int64_t dynamic_bytes_ = 0;

  std::string stored_type(const Buffer& b) {
    if (!b.computed && (b.dtype == DType::bf16 || b.dtype == DType::f16)) p.need(std::string(name_of(b.dtype)));
    return CudaExpressions::element_type(b);
  }

  std::string signature() {
    std::vector<std::string> args;
    for (BufferId id : arguments(k)) {
      const Buffer& b = k.buffers[id];
      std::string constant = b.role == Arg::Role::input ? "const " : "";
      args.push_back(constant + stored_type(b) + "* __restrict__ " + b.name);
    }
    for (const KernelParam& q : k.params) args.push_back(CudaExpressions::type_name(q.type) + " " + q.name);
    const std::string resident = k.resident_blocks > 0 ? ", " + std::to_string(k.resident_blocks) : "";
    std::string text =
        "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(k.threads) + resident + ") " + k.name + "(";
    std::string indent = "\n    ";
    for (std::size_t i = 0; i < args.size(); ++i) text += (i == 0 ? indent : "," + indent) + args[i];
    return text + ") {\n";
  }

  void line(int depth, const std::string& text) {
    body_ += std::string(2 * static_cast<std::size_t>(depth), ' ') + text + "\n";
    ++line_;
  }

  /// `tail`: nothing of the kernel follows this region, so leaving it is returning.
  void region(const Region& r, int depth, bool tail) {
    for (std::size_t i = 0; i < r.body.size(); ++i) {
      bool last = i + 1 == r.body.size();
      const Node& n = k.nodes[r.body[i]];
      if (n.code == Code::alloc && !last) {
        const Node& next = k.nodes[r.body[i + 1]];
        const Buffer& b = k.buffers[n.buffer];
        if (next.code == Code::store && next.buffer == n.buffer && b.space == Space::reg && b.computed && scalar(b)) {
          line(depth, CudaExpressions::type_name(b.type) + " " + b.name + " = " + e.text(next.args.back()) + ";");
          ++i;
          continue;
        }
      }
      node(r.body[i], n, depth, tail && last);
    }
  }

  static bool scalar(const Buffer& b) {
    return std::all_of(b.layout.shape.begin(), b.layout.shape.end(), [](auto d) { return d == 1; });
  }

  void node(NodeId id, const Node& n, int depth, bool tail) {
    if (!is_statement(n.code)) {
      if (n.name.empty() || n.code == Code::var) return;
      std::string type =
          n.type == Type::pointer ? pointer_type(n) : "const " + CudaExpressions::type_name(n.type) + " ";
      line(depth, type + n.name + " = " + e.value(id, true).text + ";");
      return;
    }
    switch (n.code) {
    case Code::note:
      notes_.push_back({line_, n.rule});
      line(depth, "// " + n.comment + " [" + n.rule + "]");
      break;
    case Code::alloc: declare(k.buffers[n.buffer], depth); break;
    case Code::store: store(n, depth); break;
    case Code::store_peer: store_peer(n, depth); break;
    case Code::send_peer: send_peer(n, depth); break;
    case Code::renew: line(depth, p.need("renew") + "(" + e.group(n.buffer, n.args) + ");"); break;
    case Code::copy: copy(n, depth); break;
    case Code::loop: loop(n, depth, tail); break;
    case Code::branch: branch(n, depth, tail); break;
    case Code::role: role(n, depth); break;
    case Code::sync:
      if (n.scope == Scope::cluster)
        line(depth, p.need(n.meeting == Meeting::arrive ? "cluster_arrive"
                           : n.meeting == Meeting::wait ? "cluster_wait"
                                                        : "cluster_sync") +
                        "();");
      else
        line(depth, n.scope == Scope::warp ? "__syncwarp();" : "__syncthreads();");
      break;
    case Code::arrive: arrive(n, depth); break;
    case Code::wait:
      line(depth, p.need(n.scope == Scope::cluster ? "cluster_barrier_wait" : "barrier_wait") + "(&" + barrier(n) +
                      ", " + e.text(n.args[1]) + ");");
      break;
    case Code::commit: line(depth, "asm volatile(\"cp.async.commit_group;\" ::: \"memory\");"); break;
    case Code::wait_group:
      line(depth, "asm volatile(\"cp.async.wait_group " + std::to_string(n.index) + ";\" ::: \"memory\");");
      break;
    case Code::mma: mma(n, depth); break;
    case Code::trap:
      line(depth, "if (" + e.text(n.args[0]) + ") __trap();" + (n.comment.empty() ? "" : " // " + n.comment));
      break;
    default: throw std::logic_error("not lowered: " + std::string(name_of(n.code)));
    }
  }

  std::string pointer_type(const Node& n) {
    const Buffer& b = k.buffers[n.buffer];
    return (b.role == Arg::Role::input ? "const " : "") + stored_type(b) + "* const ";
  }

  void declare(const Buffer& b, int depth) {
    if (b.space == Space::shared) {
      std::string type = stored_type(b);
      std::int64_t count = std::max<std::int64_t>(extent_of(b.layout) * b.stages, 1);
      if (b.dynamic) {
        if (dynamic_bytes_ == 0) line(depth, "extern __shared__ __align__(16) unsigned char dynamic_shared[];");
        line(depth, type + "* const " + b.name + " = reinterpret_cast<" + type + "*>(dynamic_shared" +
                        (dynamic_bytes_ == 0 ? "" : " + " + std::to_string(dynamic_bytes_)) + ");");
        std::int64_t bytes = count * static_cast<std::int64_t>(size_of(b.dtype));
        dynamic_bytes_ += (bytes + 15) / 16 * 16;
      } else {
        line(depth, std::string("__shared__ ") + (b.computed ? "" : "__align__(16) ") + type + " " + b.name + "[" +
                        std::to_string(count) + "];");
      }
      return;
    }
    std::string type = stored_type(b), extents, init;
    std::size_t rank = b.layout.shape.size();
    if (is_packed(b)) {
      auto bytes = b.layout.shape.back() * static_cast<std::int64_t>(size_of(b.dtype));
      type = p.words(static_cast<std::uint32_t>(bytes / 4));
      if (single_writes(b)) init = " = {}";
      --rank;
    }
    for (std::size_t i = 0; i < rank; ++i)
      if (b.layout.shape[i] > 1) extents += "[" + std::to_string(b.layout.shape[i]) + "]";
    line(depth, type + " " + b.name + extents + init + ";");
  }

  /// Some element is written alone into its word, which must hold something by then.
  bool single_writes(const Buffer& b) const {
    auto id = static_cast<BufferId>(&b - k.buffers.data());
    bool found = false;
    for_each_node(k, [&](NodeId node) {
      const Node& n = k.nodes[node];
      found = found || (n.buffer == id && (n.code == Code::store || (n.code == Code::copy && n.width == 1)));
    });
    return found;
  }

  void store(const Node& n, int depth) {
    const Buffer& b = k.buffers[n.buffer];
    std::span<const NodeId> indices(n.args.data(), n.args.size() - 1);
    NodeId value = n.args.back();
    std::string stored = e.stored(b, e.value(value), k.nodes[value].type);
    if (is_packed(b))
      line(depth, put(n.buffer, indices, "static_cast<" + CudaExpressions::element_type(b) + ">(" + stored + ")"));
    else
      line(depth, e.element(n.buffer, indices) + " = " + stored + ";");
  }

  void store_peer(const Node& n, int depth) {
    std::span<const NodeId> indices(n.args.data() + 1, n.args.size() - 2);
    line(depth, p.need("store_peer") + "(" + e.pointer(n.buffer, indices) + ", " + e.text(n.args[0]) + ", " +
                    e.text(n.args.back()) + ");");
  }

  void send_peer(const Node& n, int depth) {
    std::span<const NodeId> indices(n.args.data() + 2, n.args.size() - 3);
    line(depth, p.need("send_peer") + "(" + e.pointer(n.buffer, indices) + ", " + e.text(n.args[0]) + ", " +
                    e.text(n.args.back()) + ", &" + barrier(n, n.args[1]) + ");");
  }

  std::string put(BufferId buffer, std::span<const NodeId> indices, const std::string& bits) {
    return p.need("put_element") + "(" + e.group(buffer, indices) + ".w, " + e.text(indices.back()) + ", " + bits +
           ");";
  }

  void copy(const Node& n, int depth) {
    const Buffer &to = k.buffers[n.buffer], &from = k.buffers[n.source];
    std::size_t there = index_count(to), here = index_count(from);
    std::span<const NodeId> t(n.args.data(), there), f(n.args.data() + there, here);
    auto bytes = n.width * static_cast<std::uint32_t>(size_of(from.dtype));
    if (n.transfer == Transfer::async) {
      line(depth, p.need("copy_async") + "<" + std::to_string(bytes) + ">(" + e.pointer(n.buffer, t) + ", " +
                      e.pointer(n.source, f) + ");");
      return;
    }
    if (n.transfer == Transfer::bulk) {
      line(depth, p.need("copy_bulk") + "(" + e.pointer(n.buffer, t) + ", " + e.pointer(n.source, f) + ", " +
                      e.text(n.args[there + here]) + ", &" + barrier(n, n.args[there + here + 1]) + ");");
      return;
    }
    if (n.width == 1) return single(n, t, f, depth);
    std::string count = std::to_string(bytes / 4), streaming = n.hint == Hint::streaming ? "_streaming" : "";
    std::string words;
    if (from.space == Space::reg && from.computed) {
      words = p.pack(to.dtype, CudaExpressions::type_name(from.type), n.width) + "(" + e.group(n.source, f) + ")";
      count = std::to_string(n.width * static_cast<std::uint32_t>(size_of(to.dtype)) / 4);
    } else if (is_packed(from)) {
      words = e.group(n.source, f);
    } else {
      std::string hint = from.space == Space::global ? streaming : "";
      words = p.need("load_words" + hint) + "<" + count + ">(" + e.pointer(n.source, f) + ")";
    }
    if (is_packed(to)) {
      line(depth, e.group(n.buffer, t) + " = " + words + ";");
      return;
    }
    std::string hint = to.space == Space::global ? streaming : "";
    line(depth, p.need("store_words" + hint) + "(" + e.pointer(n.buffer, t) + ", " + words + ");");
  }

  /// One element; both sides store it alike unless the source holds computed values.
  void single(const Node& n, std::span<const NodeId> t, std::span<const NodeId> f, int depth) {
    const Buffer &to = k.buffers[n.buffer], &from = k.buffers[n.source];
    std::string value;
    if (from.computed)
      value = e.stored(to, {e.element(n.source, f)}, from.type);
    else if (is_packed(from))
      throw std::logic_error("a single element out of packed words is loaded, not copied");
    else
      value = e.element(n.source, f);
    line(depth, is_packed(to) ? put(n.buffer, t, value) : e.element(n.buffer, t) + " = " + value + ";");
  }

  void loop(const Node& n, int depth, bool tail) {
    const Region& r = n.regions[0];
    const Node& var = k.nodes[r.params[0]];
    std::string type = CudaExpressions::type_name(var.type);
    static constexpr const char* axes[] = {"x", "y", "z"};
    std::string place;
    switch (n.binding) {
    case Binding::grid: place = std::string("blockIdx.") + axes[n.index]; break;
    case Binding::cluster: place = p.need("cluster_rank") + "()"; break;
    case Binding::block: place = "threadIdx.x"; break;
    case Binding::warp: place = "threadIdx.x / 32"; break;
    case Binding::lane: place = "threadIdx.x % 32"; break;
    default: break;
    }
    if (!place.empty()) {
      if (!tail) line(depth, "{"), ++depth;
      line(depth, "const " + type + " " + var.name + " = static_cast<" + type + ">(" + place + ");");
      region(r, depth, tail);
      if (!tail) line(depth - 1, "}");
      return;
    }
    if (n.unroll) line(0, "#pragma unroll");
    std::string lo = e.text(n.args[0], Binds::shift), hi = e.text(n.args[1], Binds::shift);
    if (n.halving)
      line(depth,
           "for (" + type + " " + var.name + " = " + hi + "; " + var.name + " >= " + lo + "; " + var.name + " /= 2) {");
    else
      line(depth,
           "for (" + type + " " + var.name + " = " + lo + "; " + var.name + " < " + hi + "; ++" + var.name + ") {");
    region(r, depth + 1, false);
    line(depth, "}");
  }

  void branch(const Node& n, int depth, bool tail) {
    if (tail && depth == 1 && n.regions.size() == 1) { // the guard around the rest of the kernel
      line(depth, "if (!(" + e.text(n.args[0]) + ")) return;");
      return region(n.regions[0], depth, true);
    }
    line(depth, "if (" + e.text(n.args[0]) + ") {");
    region(n.regions[0], depth + 1, false);
    if (n.regions.size() > 1 && !n.regions[1].body.empty()) {
      line(depth, "} else {");
      region(n.regions[1], depth + 1, false);
    }
    line(depth, "}");
  }

  void role(const Node& n, int depth) {
    std::string warp = "threadIdx.x / 32", last = std::to_string(n.first + n.count);
    std::string is =
        n.first == 0 ? warp + " < " + last : warp + " >= " + std::to_string(n.first) + " && " + warp + " < " + last;
    line(depth, "if (" + is + ") { // " + n.name);
    if (n.registers != 0) {
      const char* way = n.registers < 128 ? "dec" : "inc"; // a warpgroup gives registers up, another takes them
      line(depth + 1, std::string("asm volatile(\"setmaxnreg.") + way + ".sync.aligned.u32 " +
                          std::to_string(n.registers) + ";\");");
    }
    region(n.regions[0], depth + 1, false);
    line(depth, "}");
  }

  std::string barrier(const Node& n, NodeId stage) {
    const Barrier& b = k.barriers[n.barrier];
    return b.name + "[" + e.text(stage) + "]";
  }
  std::string barrier(const Node& n) { return barrier(n, n.args[0]); }

  void arrive(const Node& n, int depth) {
    if (n.args.size() == 1)
      line(depth, p.need("barrier_arrive") + "(&" + barrier(n) + ");");
    else
      line(depth, p.need("barrier_expect") + "(&" + barrier(n) + ", " + e.text(n.args[1]) + ");");
  }

  void mma(const Node& n, int depth) {
    const Buffer& d = k.buffers[n.buffer];
    if (d.fragment.rows != 16 || d.fragment.columns != 8 || k.buffers[n.source].dtype != DType::bf16)
      throw std::logic_error("no instruction for this shape of fragments");
    line(depth,
         p.need("mma_bf16") + "(" + d.name + ", " + k.buffers[n.source].name + ", " + k.buffers[n.source2].name + ");");
  }

  /// Barriers are initialised by one thread before any other touches them.
  void barriers() {
    for (const Barrier& b : k.barriers)
      line(1, "__shared__ unsigned long long " + b.name + "[" + std::to_string(b.stages) + "];");
    if (k.barriers.empty()) return;
    line(1, "if (threadIdx.x == 0) {");
    for (const Barrier& b : k.barriers) {
      std::string each = b.stages == 1 ? "" : "for (int s = 0; s < " + std::to_string(b.stages) + "; ++s) ";
      line(2, each + p.need("barrier_init") + "(&" + b.name + (b.stages == 1 ? "[0], " : "[s], ") +
                  std::to_string(b.arrivals) + ");");
    }
    line(2, "asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");");
    line(1, "}");
    line(1, "__syncthreads();");
  }
};

} // namespace

CudaText print_cuda(const Kernel& kernel) { return Printing(kernel).run(); }

} // namespace aicf::ir
