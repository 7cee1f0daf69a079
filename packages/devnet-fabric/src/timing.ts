/** Timeouts and intervals of the network's processes, in milliseconds. */
export interface Timing {
  /** Timeout for the start of a network in a separate process. */
  networkStart: number;
  /** Time after which a network process that does not stop is killed. */
  networkEnd: number;
  /** Timeout for the first response of a chaincode process. */
  chaincodeStart: number;
  /** Interval between checks whether the chaincode process responds. */
  chaincodeProbe: number;
  /** Delay before a chaincode process that exited is started again. */
  chaincodeRestart: number;
  /** Time after which a chaincode process that does not stop is killed. */
  chaincodeEnd: number;
}

export const defaultTiming: Timing = {
  networkStart: 60_000,
  networkEnd: 10_000,
  chaincodeStart: 60_000,
  chaincodeProbe: 25,
  chaincodeRestart: 200,
  chaincodeEnd: 2_000,
};
