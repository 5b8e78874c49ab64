// Declarations made into a Schema: names resolved, interfaces expanded, constraints checked.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/schema/declaration.h"

namespace weft::schema {

// One run per checker. What is wrong is reported and left out, so that the rest is checked too.
class Checker {
 public:
  Checker(const std::vector<Declaration>& declarations, Problems& problems)
      : declarations_(declarations), problems_(problems) {}
  Schema run();

 private:
  // A property of a type with where to report what is wrong with it: for those of an interface,
  // the place of the node's name.
  struct Member {
    const DeclaredProperty* declared;
    Place place;
    bool own;
    std::vector<std::string> interfaces;
    // What those interfaces say of it.
    std::vector<const DeclaredProperty*> asked;
  };
  // One type under construction.
  struct Draft {
    const Declaration* declaration;
    std::vector<Member> members;
    EntityType* type;
    NodeType* node;                                // null for edges
    EdgeType* edge;                                // null for nodes
    std::map<std::string_view, size_t> positions;  // of members, by name
    bool has_key = false;
    // An interface gave the key: its repetition is no second one.
    bool key_from_interface = false;

    const Member* find(std::string_view name) const;
    void add(Member member);
    std::string described() const;  // "node A"
  };

  void report(Place place, std::string message) {
    problems_.add(place, "schema", std::move(message));
  }

  void index_names();
  InterfaceType interface_type(const Declaration& declaration);
  NodeType node_type(const Declaration& declaration);
  EdgeType edge_type(const Declaration& declaration);

  // checker.cc
  void own_members(Draft& draft);
  void interface_members(Draft& draft);
  void add_interface_member(Draft& draft, const Declaration& from, const DeclaredProperty& property,
                            Place place);
  void finish_properties(Draft& draft);
  void check_endpoint(const Name& name, const Declaration& edge, std::string_view end);

  // check_annotations.cc
  void check_type_annotations(const Declaration& declaration, std::vector<Annotation>& out);
  void check_property_annotations(Draft& draft, const Member& member, Property& out);
  void check_embed(const Draft& draft, const Member& member, const DeclaredAnnotation& annotation);
  // False if `annotation` is one of those with a text that must not be empty, and has none.
  bool check_text(const DeclaredAnnotation& annotation, std::string_view owner);

  // check_constraints.cc
  void check_constraint(Draft& draft, const DeclaredConstraint& constraint);
  void add_property_constraint(Draft& draft, const Member& member,
                               const DeclaredAnnotation& annotation, bool from_interface);
  bool member_names(const Draft& draft, const DeclaredConstraint& constraint,
                    std::vector<std::string>& out);
  void add_key(Draft& draft, std::vector<std::string> members, Place place, bool from_interface);
  void add_unique(Draft& draft, std::vector<std::string> members, Place place);
  void add_index(Draft& draft, const std::string& name, Place place);
  void add_range(Draft& draft, const DeclaredConstraint& constraint);
  void add_check(Draft& draft, const DeclaredConstraint& constraint);
  void check_ranges_meet(const Draft& draft);
  // The plain property an argument of @range or @check names; null after a report.
  const Member* constrained(const Draft& draft, const DeclaredConstraint& constraint);

  const std::vector<Declaration>& declarations_;
  Problems& problems_;
  // Properties of all nodes and edges so far, those of interfaces included.
  size_t property_count_ = 0;
  std::map<std::string, const Declaration*, std::less<>> interfaces_;
  std::map<std::string, const Declaration*, std::less<>> nodes_;
};

}  // namespace weft::schema
