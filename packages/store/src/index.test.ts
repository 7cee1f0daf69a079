import { expect, it } from 'vitest';
import * as surface from './index.ts';

it('exports exactly its public surface', () => {
  expect(Object.keys(surface).sort()).toEqual([
    'StoreError',
    'containsText',
    'createUuidv7',
    'forUpdate',
    'isUniqueViolation',
    'keyInUse',
    'listPage',
    'maxNotificationBytes',
    'nextId',
    'once',
    'openStore',
    'recordAnswer',
    'uuidv7',
  ]);
});
