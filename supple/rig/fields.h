// What a deformer consists of, told once to whoever reads, writes or explains it: a description is a function that
// names every field of a struct, with its range, its usual value and what it means.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "supple/base/quat.h"
#include "supple/base/result.h"
#include "supple/geometry/mesh.h"
#include "supple/rig/skeleton.h"

namespace supple {

enum class Unit : std::uint8_t {
  none,
  metres,
  radians,  // files that people write have degrees in their place
  seconds,
  hertz,
  kilograms,
  kilograms_per_cubic_metre,
  kilograms_per_second,
  metres_per_square_second,
  per_square_second
};
/// "kg/m^3"; empty for Unit::none.
const char* name_of(Unit unit);

struct FieldRange {
  double min = -std::numeric_limits<double>::infinity(), max = std::numeric_limits<double>::infinity();
  bool is_open = false;  // min itself is not allowed
};
constexpr FieldRange from(double min) { return {.min = min}; }
constexpr FieldRange above(double min) { return {.min = min, .is_open = true}; }
constexpr FieldRange between(double min, double max) { return {.min = min, .max = max}; }
/// Of the components of unit vectors, as files round them.
inline constexpr FieldRange unit_component = between(-1.0001, 1.0001);

/// What there is to know about a field besides its name and type. Ranges are told to people and schemas; validate()
/// functions check them.
struct About {
  const char* help = "";
  Unit unit = Unit::none;
  FieldRange range{};                                             // of a number, or of each number of a list
  FieldRange count{};                                             // of the items of a list
  const char* one_per = nullptr;                                  // a list that is as long as the list of this name
  bool is_unique = false;                                         // no item of a list twice
  bool usual_depends = false;                                     // the usual value depends on other fields
  std::size_t below = std::numeric_limits<std::uint32_t>::max();  // of numbers of items: there are so many items
  /// A list that is longer with one choice of another field.
  struct {
    const char *field = nullptr, *choice = nullptr;
    std::size_t min_count = 0;
  } with{};
};

enum class Presence : std::uint8_t {
  required,
  written,  // always written; the usual value where a file lacks it
  optional  // left out where it has the usual value
};

struct Field {
  const char* name;  // words joined by underscores
  const About& about;
  Presence presence = Presence::required;
  bool is_usual = false;
};

using FieldValue = std::variant<bool*, std::uint32_t*, float*, std::string*, Vec3f*, Quatf*, std::vector<float>*,
                                std::vector<std::uint32_t>*, std::vector<Vec3f>*, std::vector<Quatf>*,
                                std::vector<Triangle>*, std::vector<std::array<std::uint32_t, 2>>*>;

/// Values in rows, row after row: one for each item of the list `per`.
struct FieldRows {
  std::variant<std::vector<Quatf>*, std::vector<double>*> values;
  const char* per;
  std::size_t width;       // where it is known; readers look it up
  bool is_single = false;  // doubles that are floats in files
};

template <class E, std::size_t N>
using ChoiceNames = std::array<std::pair<const char*, E>, N>;

/// Whoever a description is told to. Descriptions call the public functions with structs that readers fill, writers
/// only look at, and explainers take usual values from. Readers throw what they cannot read.
class Fields {
 public:
  enum class Purpose : std::uint8_t { read, write, explain };
  explicit Fields(Purpose purpose) : purpose_(purpose) {}
  virtual ~Fields() = default;

  bool reads() const { return purpose_ == Purpose::read; }

  template <class T>
  void required(const char* name, T& value, const About& about = {}) {
    put_value({name, about}, &value);
  }
  template <class T>
  void written(const char* name, T& value, const std::type_identity_t<T>& usual, const About& about = {}) {
    put_unless_usual(name, value, usual, about, Presence::written);
  }
  template <class T>
  void optional(const char* name, T& value, const std::type_identity_t<T>& usual, const About& about = {}) {
    put_unless_usual(name, value, usual, about, Presence::optional);
  }

  template <class E, std::size_t N>
  void choice(const char* name, E& value, const ChoiceNames<E, N>& names, const About& about = {}) {
    choose({name, about}, value, names);
  }
  template <class E, std::size_t N>
  void choice(const char* name, E& value, E usual, const ChoiceNames<E, N>& names, const About& about = {}) {
    const Field field{name, about, Presence::optional, value == usual};
    if (purpose_ != Purpose::write) value = usual;
    choose(field, value, names);
  }
  /// Fields that go with one choice of an earlier field, and others that go with all other choices of it.
  template <class With, class Without>
  void cases(const char* field, const char* choice, bool is_chosen, With with, Without without) {
    const bool both = purpose_ == Purpose::explain;
    if (both) enter_case(field, choice, true);
    if (both || is_chosen) with();
    if (both) enter_case(field, choice, false);
    if (both || !is_chosen) without();
    if (both) leave_cases();
  }

  void joint(const char* name, JointIndex& joint, const About& about = {}) { put_joint({name, about}, joint); }
  void joints(const char* name, std::vector<JointIndex>& joints, Presence presence, const About& about = {}) {
    put_joints({name, about, presence, joints.empty()}, joints);
  }
  /// Place in Character::parts. Files name a node and, required or not, a primitive of its mesh.
  void part(std::uint32_t& part, Presence primitive, const About& about = {}) { put_part(part, primitive, about); }
  /// Where no part says it: the node whose mesh has these morph targets. Writers repeat an item for each such node.
  void node_of_targets(std::uint32_t first_weight, std::size_t count, const About& about = {}) {
    put_node(first_weight, count, about);
  }
  /// The first of `count` morph weights, as a target of the mesh of that node or part. Readers find the count in the
  /// length of the list `counted_by`; null: it is one.
  void targets(const char* name, std::uint32_t& first_weight, std::size_t count, const char* counted_by,
               const About& about = {}) {
    put_targets({name, about}, first_weight, count, counted_by);
  }
  void rows(const char* name, const FieldRows& rows, const About& about = {}) { put_rows({name, about}, rows); }

  template <class T, class Describe>
  void list(const char* name, std::vector<T>& items, Presence presence, const About& about, Describe describe) {
    const std::size_t size = enter_list({name, about, presence, items.empty()}, items.size());
    if (size != items.size()) items.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      do {
        enter_item(i);
        describe(items[i]);
      } while (leave_item());
    }
    leave_list();
  }
  /// Members that stand in an object of their own; whether it is there.
  template <class Describe>
  bool object(const char* name, bool is_there, const About& about, Describe describe) {
    if (!enter_object({name, about, Presence::optional, !is_there})) return false;
    describe();
    leave_object();
    return true;
  }
  template <class T, class Describe>
  void object(const char* name, std::optional<T>& value, const About& about, Describe describe) {
    const bool was_there = value.has_value();
    if (!was_there && purpose_ != Purpose::write) value.emplace();
    if (!object(name, was_there, about, [&] { describe(*value); }) && reads()) value.reset();
  }
  /// The same of members that all have usual values: a file without the object has those.
  template <class Describe>
  void group(const char* name, const About& about, Describe describe) {
    enter_group({name, about, Presence::optional});
    describe();
    leave_object();
  }

  /// What readers ask when the fields before it are read. The complaint is about the field, or about the whole item
  /// where there is no name; its item goes unsaid.
  template <class Check>
  void check(const char* name, Check check) {
    if (!reads()) return;
    if (const Result<void> ok = check(); !ok) complain(name, ok.error());
  }

 protected:
  virtual void put_value(const Field& field, FieldValue value) = 0;
  virtual void put_choice(const Field& field, std::span<const char* const> names, std::size_t& chosen) = 0;
  virtual void put_joint(const Field& field, JointIndex& joint) = 0;
  virtual void put_joints(const Field& field, std::vector<JointIndex>& joints) = 0;
  virtual void put_part(std::uint32_t& part, Presence primitive, const About& about) = 0;
  virtual void put_node(std::uint32_t first_weight, std::size_t count, const About& about) = 0;
  virtual void put_targets(const Field& field, std::uint32_t& first_weight, std::size_t count,
                           const char* counted_by) = 0;
  virtual void put_rows(const Field& field, const FieldRows& rows) = 0;
  /// How many items are to be described.
  virtual std::size_t enter_list(const Field& field, std::size_t size) = 0;
  virtual void enter_item(std::size_t place) = 0;
  virtual bool leave_item() = 0;  // true: the same item once more
  virtual void leave_list() = 0;
  virtual bool enter_object(const Field& field) = 0;
  virtual void enter_group(const Field& field) = 0;
  virtual void leave_object() = 0;
  virtual void enter_case(const char*, const char*, bool) {}
  virtual void leave_cases() {}
  virtual void complain(const char*, const Error&) {}

 private:
  template <class T>
  void put_unless_usual(const char* name, T& value, const T& usual, const About& about, Presence presence) {
    const Field field{name, about, presence, value == usual};
    if (purpose_ != Purpose::write) value = usual;
    put_value(field, &value);
  }
  template <class E, std::size_t N>
  void choose(const Field& field, E& value, const ChoiceNames<E, N>& names) {
    std::array<const char*, N> all;
    std::transform(names.begin(), names.end(), all.begin(), [](const auto& n) { return n.first; });
    const auto found = std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.second == value; });
    std::size_t chosen = found == names.end() ? 0 : static_cast<std::size_t>(found - names.begin());
    put_choice(field, all, chosen);
    if (purpose_ != Purpose::write) value = names[chosen].second;
  }

  Purpose purpose_;
};

}  // namespace supple
