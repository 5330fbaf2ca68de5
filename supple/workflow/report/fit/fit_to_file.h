// Learning a skin from examples: the whole job, from files to a file and its report.
#pragma once

#include "supple/author/learn/fit_error.h"
#include "supple/files/json.h"
#include "supple/workflow/jobs/fit/options.h"
#include "supple/workflow/jobs/work.h"

namespace supple::workflow {

struct ReportOptions {
  std::string file;  // one HTML file; empty: none
  bool pictures = true;
};

struct Fitted {
  std::array<learn::ErrorSummary, 3> errors;  // by learn::Group, against linear blend of the file that was given
  Json facts;                                 // everything the report shows
};

/// Reads character and examples, trains by the method asked for, measures, writes options.output and the report.
Result<Fitted> fit_to_file(const FitOptions& options, const ReportOptions& report, Work& work);

}  // namespace supple::workflow
