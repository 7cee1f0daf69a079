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
      "adminOperations: function",
      "bootstrap: function",
      "builtInRoles: array",
      "checkName: function",
      "chosenId: function",
      "coalesce: function",
      "createAdmin: function",
      "createAuth: function",
      "folderTransport: function",
      "governingPermission: function",
      "maxImageBytes: number",
      "pageOf: function",
      "pagingParameters: function",
      "permissionTable: function",
      "permissions: array",
      "readPermission: function",
      "resourceTypes: array",
      "sessionCookieName: string",
      "smtpTransport: function",
      "systemUid: string",
      "visibilityOf: function",
    ]
  `);
});
