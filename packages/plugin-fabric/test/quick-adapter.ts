import { createFabricAdapter } from '../src/definition.ts';
import { testTiming } from './timing.ts';

/** Its sessions wait no longer than tests need. Imports nothing that a process of its own could not read. */
export default createFabricAdapter(testTiming);
