import { expect, it } from 'vitest';
import * as surface from './index.ts';

it('exports exactly its public surface', () => {
  expect(Object.keys(surface).sort()).toEqual([
    'builtInUid',
    'choosePlugin',
    'createCompilations',
    'createCompiler',
    'createContractRegistry',
    'createLedgerNodes',
    'createPluginUrls',
    'createPlugins',
    'createRegistry',
    'createSmartContracts',
    'createTimeline',
    'explorerLink',
    'ledgerTags',
    'maxRecords',
    'readChaincodePackage',
  ]);
});
