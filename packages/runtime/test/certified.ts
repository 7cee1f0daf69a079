/**
 * A P-256 key and a self-signed certificate for it, created for tests with openssl. The certificate is valid for ten
 * years.
 */
export const certified = {
  privateKey: `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIB39CGxDUZGyV8jrvtZ5dGyKU2b96whx0v3J6668EZDPoAoGCCqGSM49
AwEHoUQDQgAETkbKqMFU1BFwfPs3ZdVwnwqnb/NZ5xk8Pw4aNNc6NUwSMUG10Nn4
NU9uGKfiva2bB7yhUHtmAfcTgZCELca98g==
-----END EC PRIVATE KEY-----
`,
  certificate: `-----BEGIN CERTIFICATE-----
MIIBcjCCARmgAwIBAgIUaI5dkXRi6W5KNdAsMTaa2QYbidMwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAeFw0yNjExMjExNTAzMDBaFw0zNjExMTgxNTAzMDBa
MA8xDTALBgNVBAMMBHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARORsqo
wVTUEXB8+zdl1XCfCqdv81nnGTw/Dho01zo1TBIxQbXQ2fg1T24Yp+K9rZsHvKFQ
e2YB9xOBkIQtxr3yo1MwUTAdBgNVHQ4EFgQUrM+E7xPHJH8a7g+XZEpKHvfXRPIw
HwYDVR0jBBgwFoAUrM+E7xPHJH8a7g+XZEpKHvfXRPIwDwYDVR0TAQH/BAUwAwEB
/zAKBggqhkjOPQQDAgNHADBEAiAZVgn4Ly8drXTepID+7CfswbRs1w6rgxsA3om3
E1eFxgIgBsMkkKydbsFPle6yII8vwMNXyha6IoRPKDpUzseOO/I=
-----END CERTIFICATE-----
`,
};
