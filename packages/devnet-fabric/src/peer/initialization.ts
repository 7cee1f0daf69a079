import type { Simulation } from '../ledger/simulation.ts';
import type { Definition } from '../system/definitions.ts';

/** Key under which a chaincode's namespace stores the version it was initialized for, as on a peer. */
const initializedKey = '\u0000\u{1f31f}initialized';

/**
 * Requires that chaincode defined with `initRequired` is called with `isInit` exactly once per version, as
 * its first call.
 * @throws with a peer's message if a call violates this
 */
export function initialization(definition: Definition, isInit: boolean, simulation: Simulation): void {
  const { name, version, initRequired } = definition;
  if (!initRequired) {
    if (isInit) throw new Error(`chaincode '${name}' does not require initialization but called as init`);
    return;
  }
  const stored = simulation.getState(name, initializedKey);
  const initialized = stored !== undefined && Buffer.from(stored).toString() === version;
  if (isInit && initialized) throw new Error(`chaincode '${name}' is already initialized but called as init`);
  if (!isInit && !initialized)
    throw new Error(`chaincode '${name}' has not been initialized for this version, must call as init first`);
  if (isInit) simulation.putState(name, initializedKey, Buffer.from(version));
}
