import { expect, it } from 'vitest';
import * as auth from './index.ts';

it('@ledger-ops/auth exports these values', () => {
  const surface = Object.entries(auth).map(
    ([name, value]) => `${name}: ${Array.isArray(value) ? 'array' : typeof value}`,
  );
  expect(surface.toSorted()).toMatchInlineSnapshot(`
    [
      "AuthorizationError: function",
      "OAuthError: function",
      "activityTypes: array",
      "adminOperations: function",
      "bootstrap: function",
      "builtInRoles: array",
      "bundleActivities: function",
      "checkName: function",
      "chosenId: function",
      "coalesce: function",
      "createAdmin: function",
      "createAuth: function",
      "folderTransport: function",
      "governingPermission: function",
      "maxImageBytes: number",
      "permissionTable: function",
      "permissions: array",
      "readPermission: function",
      "recordActivities: function",
      "recordActivity: function",
      "resourceTypes: array",
      "scopeIdOf: function",
      "scopeIds: function",
      "serviceItself: object",
      "sessionCookieName: string",
      "smtpTransport: function",
      "systemId: string",
      "systemUid: string",
      "unpackActivities: function",
      "visibilityOf: function",
    ]
  `);
});
