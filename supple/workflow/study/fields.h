// What results of stages consist of, for the archive.
#pragma once

#include "supple/author/scan/assemble.h"
#include "supple/author/scan/extract.h"
#include "supple/author/scan/parts.h"
#include "supple/workflow/study/archive.h"

namespace supple {

template <class Archive>
void fields(Archive& a, Mesh& m) {
  a(m.positions, m.normals, m.triangles);
}
template <class Archive>
void fields(Archive& a, SkinWeights& w) {
  a(w.first, w.entries);
}

namespace scan {

template <class Archive>
void fields(Archive& a, Surfaces& s) {
  a(s.bone, s.skin, s.skin_border, s.thresholds, s.changes, s.labelled);
}
template <class Archive>
void fields(Archive& a, BonePart& p) {
  a(p.surface, p.volume, p.centre, p.touches, p.candidates, p.body);
}
template <class Archive>
void fields(Archive& a, Parts& p) {
  a(p.parts, p.surface, p.marker, p.dropped, p.outside);
}
template <class Archive>
void fields(Archive& a, NamedBone& b) {
  a(b.bone, b.pieces, b.doubt);
}
template <class Archive>
void fields(Archive& a, NamedBody& b) {
  a(b.bodies, b.pieces, b.doubt);
}
template <class Archive>
void fields(Archive& a, Naming& n) {
  a(n.bones, n.bodies, n.unused, n.to_scan, n.other_side);
}
template <class Archive>
void fields(Archive& a, Alignment& al) {
  a(al.bones, al.bodies, al.scale);
}
template <class Archive>
void fields(Archive& a, Feature& f) {
  a(f.name, f.vertex, f.target);
}
template <class Archive>
void fields(Archive& a, FittedSkin& f) {
  a(f.blended, f.warped, f.positions, f.reliable, f.features, f.scores, f.quality);
}

}  // namespace scan
}  // namespace supple
