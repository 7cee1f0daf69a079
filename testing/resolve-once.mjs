// Preloaded by test workers and by the servers that they start. Node parses a package's whole `exports` again for each
// of its modules: one second of processor time per process for those of drizzle-orm. Here the answer is kept instead.
import { registerHooks } from 'node:module';

/** Formats of the `.js` files of a folder of a dependency. */
const formats = new Map();
/** Results for packages of this repository, by name. */
const found = new Map();

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL, conditions } = context;
    if (parentURL === undefined || !conditions.includes('import')) return next(specifier, context);
    if (parentURL.includes('/node_modules/')) {
      if (!/^\.\.?\/.*\.js$/.test(specifier)) return next(specifier, context);
      const { href: url } = new URL(specifier, parentURL);
      const folder = url.slice(0, url.lastIndexOf('/'));
      const format = formats.get(folder);
      if (format !== undefined) return { url, format, shortCircuit: true };
      const resolved = next(specifier, context);
      formats.set(folder, resolved.format);
      return resolved;
    }
    const folder = /^file:.*?\/(?:packages|apps)\/[^/]+\//.exec(parentURL)?.[0];
    if (folder === undefined || !/^[@a-z]/.test(specifier) || specifier.includes(':'))
      return next(specifier, context);
    const key = `${folder} ${specifier}`;
    const known = found.get(key);
    if (known !== undefined) return known;
    const { url, format } = next(specifier, context);
    found.set(key, { url, format, shortCircuit: true });
    return { url, format };
  },
});
