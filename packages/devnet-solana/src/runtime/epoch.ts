/** The schedule of mainnet, which litesvm has too: epochs grow up to the fourteenth, and then have one length. */
export const epochSchedule = {
  slotsPerEpoch: 432_000,
  leaderScheduleSlotOffset: 432_000,
  warmup: true,
  firstNormalEpoch: 14,
  firstNormalSlot: 524_256,
} as const;

/** The epoch of a slot behind the first normal one, and which of its slots it is. */
export function epochOf(slot: number): { epoch: number; slotIndex: number } {
  const { firstNormalSlot, firstNormalEpoch, slotsPerEpoch } = epochSchedule;
  const beyond = slot - firstNormalSlot;
  return {
    epoch: firstNormalEpoch + Math.floor(beyond / slotsPerEpoch),
    slotIndex: beyond % slotsPerEpoch,
  };
}
