// What is said of a program that is not robust, by whichever way it was found out.
#pragma once

#include "check/Check.h"

namespace picket {

inline void setNotRobust(Robustness &R, const Place &Store, const Place &Overtaker, const Place &Observer) {
  R.Known = Robustness::NotRobust;
  R.Bounded = false;
  R.Store = Store;
  R.Overtaker = Overtaker;
  R.Observer = Observer;
  R.Message = std::string("not robust under ") + (R.Against == Model::TSO ? "TSO" : "PSO") +
              ": this store can reach memory after the later access at line " + std::to_string(Overtaker.Line) +
              ", and the access at line " + std::to_string(Observer.Line) + " can tell";
}

/// An execution that SC does not have. One that it has is no witness.
inline void setWitness(Robustness &R, Recording Run) {
  auto Witness = std::make_shared<Counterexample>(explain(std::move(Run)));
  if (!Witness->Why.Edges.empty())
    R.Witness = std::move(Witness);
}

} // namespace picket
