// Must be imported before all other modules. Node 24 parses a package's whole `exports` again for every import from the
// package; for drizzle-orm, this took more than half of a server's start time. This module caches the results. Node
// also accesses the disk three times for each relative name; this module does so once per folder.
import { type ResolveFnOutput, registerHooks } from 'node:module';

/** Module formats by folder and file extension. */
const formats = new Map<string, ResolveFnOutput['format']>();
/** URL of the repository; if this package is installed, a folder in `node_modules`. */
const around = new URL('../../../', import.meta.url).href;
/** Resolved names by package folder and name. */
const found = new Map<string, ResolveFnOutput>();

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL, conditions } = context;
    if (parentURL === undefined || !conditions.includes('import')) return next(specifier, context);
    const isKnownPlace = parentURL.includes('/node_modules/') || parentURL.startsWith(around);
    if (isKnownPlace && /^\.\.?\/.*\.[jt]s$/.test(specifier)) {
      const { href: url } = new URL(specifier, parentURL);
      const kind = url.slice(0, url.lastIndexOf('/') + 1) + url.slice(-3);
      const format = formats.get(kind);
      if (format !== undefined) return { url, format, shortCircuit: true };
      const resolved = next(specifier, context);
      formats.set(kind, resolved.format);
      return resolved;
    }
    const folder = /^file:.*\/(?:node_modules|packages|apps)\/(?:@[^/]+\/)?[^/]+\//.exec(parentURL)?.[0];
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
