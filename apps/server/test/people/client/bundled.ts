import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/** Bundles a module with its imports into a script without Node APIs. The script sets `suite` to the module's exports. */
export async function bundled(module: URL): Promise<string> {
  const { output } = await build({
    input: fileURLToPath(module),
    platform: 'browser',
    resolve: { conditionNames: ['@ledger-ops/source', 'browser', 'import', 'default'] },
    output: { format: 'iife', name: 'suite' },
    write: false,
    logLevel: 'warn',
  });
  return output[0].code;
}
