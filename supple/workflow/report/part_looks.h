// How the parts of a file look: base colours, textures, and what is left out.
#pragma once

#include "supple/render/character.h"
#include "supple/workflow/report/pictures.h"

namespace supple::workflow {

/// The outlines of bones inside a hand, which are drawn as bone.
bool is_bone_surface(const Part& part);

/// The model must outlive it.
class PartLooks {
 public:
  /// Textures are decoded once and shared by all pictures; those that cannot be shown are told as warnings. The error
  /// says that there is no part of a name that is to be hidden.
  static Result<PartLooks> make(const Model& model, const Look& look, Warnings& warnings);

  bool hidden(std::size_t part) const { return parts_[part].hidden; }
  /// Whether nothing is left but joints.
  bool all_hidden() const;
  /// Colour, texture, opacity and finish of a part.
  void dress(std::size_t part, render::PosedPart& posed) const;

 private:
  struct PartLook {
    bool hidden = false;
    std::shared_ptr<const render::Texture> texture;
    std::vector<std::array<float, 2>> texcoords;
    render::Alpha alpha = render::Alpha::ignored;
    float alpha_cutoff = 0.5f;
  };
  PartLooks(const Character& character, const Look& look) : character_(&character), look_(&look) {}
  void add_textures(const Model& model, Warnings& warnings);

  const Character* character_;
  const Look* look_;
  std::vector<PartLook> parts_;
};

}  // namespace supple::workflow
