/** Mainnet's schedule, as in litesvm: epochs grow until the fourteenth, and then have a constant length. */
export const epochSchedule = {
  slotsPerEpoch: 432_000,
  leaderScheduleSlotOffset: 432_000,
  warmup: true,
  firstNormalEpoch: 14,
  firstNormalSlot: 524_256,
} as const;

/** Epoch and index of a slot at or after the first normal slot. */
export function epochOf(slot: number): { epoch: number; slotIndex: number } {
  const { firstNormalSlot, firstNormalEpoch, slotsPerEpoch } = epochSchedule;
  const beyond = slot - firstNormalSlot;
  return {
    epoch: firstNormalEpoch + Math.floor(beyond / slotsPerEpoch),
    slotIndex: beyond % slotsPerEpoch,
  };
}
