// What an improvement tells: the verdict first, then before and after in pictures, then the numbers.
#pragma once

#include "supple/files/json.h"
#include "supple/render/image.h"
#include "supple/workflow/jobs/improve/improve.h"

namespace supple::workflow {

/// Everything decided and measured, as numbers; metres, and shares of linear blend's error.
Json improved_json(const Improved& improved, const ImproveOptions& options, const Warnings& warnings);

/// Linear blend beside the learnt skin in the frames in which linear blend stretches it most, close up: each from the
/// side that sees most of what was moved. The error says why nothing can be drawn, or that nothing was learnt.
Result<render::Image> before_and_after(const Improved& improved, const Progress& progress);
/// The same moving, as a GIF file: the clip of the worst of these frames, some seconds about it.
Result<Bytes> moving_before_and_after(const Improved& improved, const Progress& progress);

/// One self-contained page. Without a sheet of before_and_after() it has no pictures.
Result<std::string> improved_html(const Improved& improved, const ImproveOptions& options, const Json& facts,
                                  const render::Image* sheet);

}  // namespace supple::workflow
