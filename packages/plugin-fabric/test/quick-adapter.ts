import { createFabricAdapter } from '../src/definition.ts';
import { testTiming } from './timing.ts';

/** Adapter with short times. Imports only modules that a child process can read. */
export default createFabricAdapter(testTiming);
