import { createFabricAdapter } from '../src/definition.ts';
import { testTiming } from './timing.ts';

/** Sessions with short times. Imports nothing that a child process could not read. */
export default createFabricAdapter(testTiming);
