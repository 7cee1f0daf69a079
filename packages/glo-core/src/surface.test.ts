import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as surface from './index.ts';

const folder = new URL('./', import.meta.url);
const sources = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(new URL(file, folder), 'utf8') }));

describe('the package', () => {
  it('exports exactly these values', () => {
    expect(Object.keys(surface).sort()).toMatchInlineSnapshot(`
      [
        "GloError",
        "JsonError",
        "currentGloVersion",
        "effectiveOperation",
        "gloJsonSchema",
        "gloLimits",
        "jsonLimits",
        "maxJsonDepth",
        "operationKey",
        "operationTypes",
        "parseGlo",
        "parseJson",
        "parseJsonInSlices",
        "parseLocator",
        "parseQuantity",
        "parseQuantityAt",
        "resolveContract",
        "scanJson",
        "serialiseGlo",
        "serialiseLocator",
        "technologies",
        "withoutSecrets",
      ]
    `);
  });

  it('exports exactly these types', () => {
    const index = sources.find(({ file }) => file === 'index.ts')?.text ?? '';
    const names = [...index.matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(([, isType, list = '']) =>
      list
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && (isType !== undefined || name.startsWith('type ')))
        .map((name) => name.replace('type ', '')),
    );
    expect(names.sort()).toMatchInlineSnapshot(`
      [
        "AccessListEntry",
        "ContractCallGlo",
        "ContractCallOperation",
        "ContractDeployGlo",
        "ContractDeployOperation",
        "ContractLocator",
        "Effective",
        "EthereumContent",
        "FabricContent",
        "Glo",
        "GloDocument",
        "GloErrorCode",
        "GloIssue",
        "JsonErrorReason",
        "JsonLimits",
        "LedgerLocator",
        "Locator",
        "LocatorDocument",
        "Meta",
        "MetaDocument",
        "NativeContent",
        "Operation",
        "OperationType",
        "Override",
        "ParseOptions",
        "ServiceLocator",
        "Technology",
        "TransferGlo",
        "TransferOperation",
        "UnresolvedLocator",
      ]
    `);
  });

  it('imports nothing but zod and its own files', () => {
    const imports = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/(?:\sfrom\s+|import\(\s*)'([^']+)'/g)].map(([, specifier = '']) => ({
        file,
        specifier,
      })),
    );
    expect(imports.length).toBeGreaterThan(20);
    for (const { file, specifier } of imports) {
      expect(
        specifier === 'zod/mini' || /^\.\/[a-z-]+\.ts$/.test(specifier),
        `${file} imports ${specifier}`,
      ).toBe(true);
    }
  });

  it('uses nothing of Node, the browser or the clock', () => {
    for (const { file, text } of sources) {
      expect(text, file).not.toMatch(
        /\b(process|Buffer|globalThis|window|fetch|setTimeout|console|Date|random)\b[.(]/,
      );
    }
  });
});
