import { mergeConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

/** The templates' own tests run in place. */
export default mergeConfig(shared, { test: { include: ['templates/*/test/*.test.{js,ts}'] } });
