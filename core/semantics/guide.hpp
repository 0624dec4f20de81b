// The Preservation Guide: what the ledger says of every transformation on every operator, as pages that people read.
// Nothing in it is written by hand but the texts of atlas/transformations.json; all else is what `judge` answers.
// Pages are CommonMark with tables. Links are URIs: aicf://guide/index (with #CLASS for each preservation class),
// aicf://transformation/ID and aicf://op/NAME. Headings carry no numbers, so that their anchors stay as they are.
// Pure functions of their arguments; any thread may call them.
#pragma once
#include "core/semantics/atlas.hpp"
#include "core/semantics/legality.hpp"

#include <memory>
#include <stop_token>

namespace aicf {

/// An operator that the guide speaks of, under the name that links spell.
struct GuideOperator {
  std::string name, about;
  std::shared_ptr<const StructureProfile> structure; ///< never null
};

/// Every operator of the atlas, analysed, by name. The first that cannot be read is a diagnostic; a missing atlas is
/// Unavailable. Takes about half a second. Polls `stop`; a stopped call returns those that it has.
[[nodiscard]] Result<std::vector<GuideOperator>> atlas_operators(std::stop_token stop = {});

/// What the ledger says of one operator under one transformation.
struct GuideEntry {
  std::string op;
  LegalityRow row;
};

/// One transformation: what it is, and the operators, by name, under the guide's profile.
struct GuideTopic {
  std::string id, preservation_class;
  TransformationText text;
  std::vector<GuideEntry> legal, refused, inapplicable;
};

struct Guide {
  CompilerProfile rules;
  std::vector<GuideOperator> operators; ///< by name
  std::vector<GuideTopic> topics;       ///< by class in the order of preservation_classes(), then by id
  [[nodiscard]] const GuideTopic* find(std::string_view transformation) const;
};

/// Of one preservation class: its id, and what its transformations leave and change.
struct PreservationClass {
  std::string_view id, title, about;
};
[[nodiscard]] const std::vector<PreservationClass>& preservation_classes();

[[nodiscard]] Guide make_guide(std::vector<GuideOperator> operators, const CompilerProfile& rules);

/// A verdict as a sentence without its full stop. `kind`: value, rounding, special, run_to_run, batch_invariant,
/// device_to_device.
[[nodiscard]] std::string in_words(std::string_view kind, const Verdict& verdict);

struct GuidePage {
  std::string uri, title, markdown;
};
[[nodiscard]] GuidePage index_page(const Guide& guide);
[[nodiscard]] GuidePage transformation_page(const Guide& guide, const GuideTopic& topic);
[[nodiscard]] GuidePage operator_page(const Guide& guide, const GuideOperator& op);
[[nodiscard]] std::vector<GuidePage> pages(const Guide& guide); ///< all of them, the index first

/// Where a page lies in a folder of pages: "index.md", "transformation/tile.md", "op/softmax.md".
[[nodiscard]] std::string file_of(std::string_view uri);
/// The page with its links from file to file, for such a folder.
[[nodiscard]] std::string with_file_links(const GuidePage& page);

} // namespace aicf
