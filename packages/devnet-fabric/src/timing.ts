/** How long the network's processes are waited for, in milliseconds. */
export interface Timing {
  /** Until a network in a process of its own is ready. */
  networkStart: number;
  /** That a clean end of such a process may take before it is killed. */
  networkEnd: number;
  /** Until a chaincode process answers. */
  chaincodeStart: number;
  /** Between two looks whether it answers. */
  chaincodeProbe: number;
  /** Between the end of a chaincode process by itself and its new start. */
  chaincodeRestart: number;
  /** That a clean end of a chaincode process may take before it is killed. */
  chaincodeEnd: number;
}

/** The times where none are given. */
export const defaultTiming: Timing = {
  networkStart: 60_000,
  networkEnd: 10_000,
  chaincodeStart: 60_000,
  chaincodeProbe: 25,
  chaincodeRestart: 200,
  chaincodeEnd: 2_000,
};
