// RSMC under POWER sees exactly the executions that the axioms, applied to every candidate, leave over: each once.
#include "property/PowerExecutions.h"

namespace picket {
namespace {

using Palette = testing::PowerPalette;

void expectSameExecutions(const Palette &From, unsigned Programs, unsigned Seed,
                          testing::PowerMaker Make = testing::makePowerProgram) {
  testing::expectSameExecutions({MemoryModel::Power, testing::BruteModel::Power}, From, Programs, Seed, Make);
}

TEST(Power, PlainAccesses) { expectSameExecutions({.Ties = {Palette::Loose}, .Locations = 3}, 1000, 1); }
TEST(Power, Fences) {
  expectSameExecutions(
      {.Ties = {Palette::Loose, Palette::SyncTie, Palette::LwSyncTie, Palette::EieioTie}, .Locations = 3}, 2000, 2);
}
TEST(Power, Dependencies) {
  expectSameExecutions({.Ties = {Palette::Loose, Palette::AddressTie, Palette::DataTie, Palette::FakeDataTie,
                                 Palette::ControlTie, Palette::ControlISyncTie, Palette::LwSyncTie, Palette::SyncTie},
                        .Locations = 3},
                       2000, 3);
}
TEST(Power, InternalEdges) { // few locations: rfi, rdw, detour
  expectSameExecutions({.Ties = {Palette::Loose, Palette::AddressTie, Palette::DataTie, Palette::ControlTie,
                                 Palette::ControlISyncTie, Palette::LwSyncTie},
                        .Accesses = 8},
                       2000, 4);
}
TEST(Power, Cycles) {
  expectSameExecutions({.Ties = {Palette::Loose, Palette::AddressTie, Palette::DataTie, Palette::ControlTie,
                                 Palette::ControlISyncTie, Palette::SyncTie, Palette::LwSyncTie, Palette::EieioTie}},
                       15000, 8, testing::makePowerCycle);
}
TEST(Power, BranchesThatDecide) {
  expectSameExecutions({.Ties = {Palette::Loose, Palette::DecidingTie, Palette::DecidingISyncTie, Palette::DataTie,
                                 Palette::AddressTie, Palette::ISyncTie, Palette::LwSyncTie, Palette::SyncTie},
                        .Locations = 3},
                       2000, 5);
}
TEST(Power, Reservations) {
  expectSameExecutions({.Ties = {Palette::Loose, Palette::DecidingTie, Palette::DataTie, Palette::AddressTie,
                                 Palette::ControlISyncTie, Palette::LwSyncTie, Palette::SyncTie},
                        .Reservations = true,
                        .Accesses = 8},
                       2000, 6);
}

/// In the axioms a store-conditional that fails is no event: neither its address nor a branch on its outcome orders
/// anything.
TEST(Power, ReservationsWhoseOutcomeDecides) {
  expectSameExecutions({.Ties = {Palette::Loose, Palette::DecidingTie, Palette::DataTie, Palette::AddressTie,
                                 Palette::ControlISyncTie, Palette::LwSyncTie, Palette::SyncTie},
                        .Reservations = true,
                        .TiedReservations = true,
                        .Accesses = 8},
                       2000, 7);
}

TEST(Power, ContendedReservations) { // one location: pairs that cannot all succeed
  expectSameExecutions({.Ties = {Palette::Loose, Palette::Loose, Palette::DecidingTie, Palette::DataTie,
                                 Palette::AddressTie, Palette::SyncTie},
                        .Reservations = true,
                        .TiedReservations = true,
                        .Locations = 1,
                        .Accesses = 8},
                       1000, 9);
}

} // namespace
} // namespace picket
