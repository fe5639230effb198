//! Tokens of an app: asked for with a signature that holds, used, and replaced before their end.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};

use super::*;
use crate::http::testing::{Asked, Server};
use crate::http::{AppCredential, HttpSettings};

/// A key made for these tests, which opens nothing.
const PRIVATE: &str = "MIIEowIBAAKCAQEAwy1TX65knIRcr8oO9ZjfDUESIoSthpkpB1V1UXlowuJISYpchSXeDUoY6PIqx2amk1mmWn1zdY6X/+0b\
    gwaUS3L4KQGQhw3jTM3hWBfGsSzZLzH9VUOJSJGqWlWoj37b6jWk8m+v3afzKSTXAag5pda4KE6xNNiUgLFHGIQM4o5i1WX2\
    YBLpyCPO9YEen7tLdIL0j7TS2KSO72saBSezCNDAoV1NbjAg87G58rP1rxiqfYPftlV9tkuoYtKMUEzz4u5sSb+ClQkpdwud\
    cdBgI/F4VdkPuTQkCK9o/r6Qfbvv0vfS8S1y00MiDFY4IAy5I7q7cNustyWqMHlsthT9GQIDAQABAoIBABNzzEQ0QZ9O2t0D\
    Vq/YI1zzEA9kKVZJpArw079ByjToMBuyQEvd7Q5mhOqMnkJe4vm7HOcWa0A7bL9LXqtVp8iIRh7yIrkvI2kXeN7aiclFRsUb\
    JpxNnZxftjqIIINiuaDTZWPrSTwefc/rNcmavloetx5/T06Mymo0IPmayZz3ttsOWKa5icDu22GEh3Z3OI9+qqZoPExclrly\
    jnLQxBrlLPoJH9GIAEJHyC9IZwC6Abv22JLlYRWWIrYGrMURnjGR4MAfADoXSrl9FyXkNXxyhUABiitKN4Vn9QoslkQfT0xi\
    zem5LxVVZbxX8g2PGQ5IOdO3z6cuM957FamFNmECgYEA6mm9l9ETx6nolUoM/IYLaTMS7PjrhM4sCkc4eSqRSHpqjIrGunvV\
    wEhkTBmWvngbNkwFA06tjUeUoo8mTSo6kkop07M0+b0Rm0kH5zEq9bupgu0OIbeMcxUeJZIxlzyh6l+BTq+/udcEM7s3b2M/\
    q3Y55z2j4lMvzhh6LeiQ4UkCgYEA1SaZ6KSktyk7AdgPGpDOt8+NjleP/JB1AcylbeDcH9kFlmfj9PPyiyS9q38VgMZ8VWD8\
    F2kZI79bJvBRVhi4m9mcOW1UWJzh8BLDTWlYFSBuEPYLF4TKQdgBdLlQue31zNQtiXoboVnmDsTozLIicOjmNSMEFItV6RQ/\
    ActlDVECgYAa8MQlapYHYHOmlLghXZZ6JLCMI5+Nx9Qv6jeHVWkVF1yfgmOMkybhznAYfuhgQ5V9DAeXdbdkgVGHzUPtomjQ\
    300nU3VHLn+ThTUvUOtLCqJUtcHmBh5SK58nWkHwy7sgIJHP5Ur3pMqK131rg9CReCj3dpIbNMxNt2pzVEMyYQKBgDeR7sJG\
    WmMeLrIWYCmu4xXs2JzpmzJffwHPFroEy57J97j0sOulxfAczg4t/a8rEDM6K772uYUmWF9Ye/wUSdzn6ODX7guEKytp2N0P\
    v9USNV/apZ2mEw0Dga2quq8eqNyT3KNg4F86js3+7CqhrnT9YzcrP98TTHyNuLeBDYFhAoGBALUT2kGxIFJ8+9ZDn2VKED2n\
    aZNn9760z2XjylhIFwpIktKlUXz0RSLAUssRNapto1k+MyhLil8RvHuL3Y2r+TJQ3wCdp/zvBrG3016H9RawmExVlxqXFQb/\
    R+crKrCY3j0a332pvA6WIVuadrU8jXpcNSCg5aW6wz9sirI8wRWP";
const PUBLIC: &str = "MIIBCgKCAQEAwy1TX65knIRcr8oO9ZjfDUESIoSthpkpB1V1UXlowuJISYpchSXeDUoY6PIqx2amk1mmWn1zdY6X/+0bgwaU\
    S3L4KQGQhw3jTM3hWBfGsSzZLzH9VUOJSJGqWlWoj37b6jWk8m+v3afzKSTXAag5pda4KE6xNNiUgLFHGIQM4o5i1WX2YBLp\
    yCPO9YEen7tLdIL0j7TS2KSO72saBSezCNDAoV1NbjAg87G58rP1rxiqfYPftlV9tkuoYtKMUEzz4u5sSb+ClQkpdwudcdBg\
    I/F4VdkPuTQkCK9o/r6Qfbvv0vfS8S1y00MiDFY4IAy5I7q7cNustyWqMHlsthT9GQIDAQAB";

/// 2026-11-22T00:00:00Z.
const MADE: i64 = 1_795_305_600;

fn app(base_url: &str) -> AppCredential {
    // The mark of a key is put together here, so that no file of ours looks as if it held one.
    let mark = |end: &str| format!("-----{end} RSA {} KEY-----", "PRIVATE");
    AppCredential {
        kind: String::new(),
        base_url: base_url.to_owned(),
        app: "1234".into(),
        installation: "99".into(),
        private_key: Secret::new(format!("{}\n{PRIVATE}\n{}\n", mark("BEGIN"), mark("END"))),
        made: capdex_model::time::Timestamp::from_unix_seconds(MADE),
    }
}

fn given(number: usize, expires_at: &str) -> Sent {
    let token = format!("token-{number}");
    let body = serde_json::json!({"token": token, "expires_at": expires_at, "permissions": {"metadata": "read"}});
    Sent::answer(201, &[], body.to_string())
}

fn with_app(server: &Server, more: &[&str]) -> HttpSettings {
    let credential = |token: &&str| Credential::authorization(&server.base_url, Secret::new(*token));
    HttpSettings {
        apps: vec![app(&server.base_url)],
        credentials: more.iter().map(credential).collect(),
        ..settings(&[&server.base_url])
    }
}

fn claims(asked: &Asked) -> serde_json::Value {
    let proof = asked.header("authorization").and_then(|value| value.strip_prefix("Bearer ")).expect("a proof");
    let (signed, signature) = proof.rsplit_once('.').expect("three parts");
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("base64");
    let public = STANDARD.decode(PUBLIC).expect("base64");
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public);
    key.verify(signed.as_bytes(), &decode(signature)).expect("the signature holds");
    let (header, claims) = signed.split_once('.').expect("two parts");
    assert_eq!(decode(header), br#"{"alg":"RS256","typ":"JWT"}"#);
    serde_json::from_slice(&decode(claims)).expect("JSON")
}

#[tokio::test]
async fn a_token_is_asked_for_once_and_replaced_before_its_end() {
    let server = Server::start(|asked, before| match asked.path.as_str() {
        "/app/installations/99/access_tokens" if before == 0 => given(1, "2026-11-22T01:00:00Z"),
        "/app/installations/99/access_tokens" => given(2, "2026-11-22T02:00:00Z"),
        _ => Sent::ok("x"),
    });
    let (http, clock) = client(with_app(&server, &[]));
    let url = format!("{}/a", server.base_url);
    for wait in [0, 3_298, 3] {
        crate::http::clock::Clock::sleep(&clock, Duration::from_secs(wait)).await;
        assert_eq!(body(http.send(ask(&url)).await), b"x");
    }
    let asked = server.asked();
    let [first, one, two, second, three] = asked.as_slice() else { panic!("{:?}", server.paths()) };
    assert_eq!(first.method.as_str(), "POST");
    assert_eq!(one.method.as_str(), "GET");
    let expected = serde_json::json!({"iat": MADE - 60, "exp": MADE + 540, "iss": "1234"});
    assert_eq!(claims(first), expected);
    assert_eq!(claims(second)["iat"], MADE + 3_301 - 60);
    let sent = [one, two, three].map(|asked| asked.header("authorization").unwrap_or_default());
    assert_eq!(sent, ["Bearer token-1", "Bearer token-1", "Bearer token-2"]);
    assert!(!format!("{http:?}").contains(&PRIVATE[..20]));
    assert!(!format!("{http:?}").contains("token-"));
}

#[tokio::test]
async fn an_app_that_gets_no_token_stands_in_nobodys_way() {
    let server = Server::start(|asked, _| match asked.header("authorization") {
        Some("good") => Sent::ok("x"),
        _ => Sent::answer(401, &[], "{}"),
    });
    let (http, _) = client(with_app(&server, &["good"]));
    for _ in 0..3 {
        assert_eq!(body(http.send(ask(&server.base_url)).await), b"x");
    }
    let exchanges = server.paths().iter().filter(|path| path.starts_with("/app/")).count();
    assert_eq!(exchanges, 1);
    assert_eq!(server.asked().len(), 4);
    let (alone, _) = client(with_app(&server, &[]));
    assert!(matches!(alone.send(ask(&server.base_url)).await, Err(CrawlError::Unauthorized { .. })));
}

#[test]
fn a_key_that_is_none_is_an_error_without_the_key_in_it() {
    let server = "http://127.0.0.1:1";
    let with = |app: AppCredential| Http::new(HttpSettings { apps: vec![app], ..settings(&[server]) });
    assert!(with(app(server)).is_ok());
    let damaged = AppCredential { private_key: Secret::new("canary"), ..app(server) };
    let strange = AppCredential { installation: "99/../1".into(), ..app(server) };
    for app in [damaged, strange] {
        let error = with(app).expect_err("it cannot be used").to_string();
        assert!(!error.contains("canary"), "{error}");
    }
}

#[tokio::test]
async fn requests_that_wait_for_a_token_leave_it_a_place() {
    let server = Server::start(|asked, _| match asked.path.as_str() {
        "/app/installations/99/access_tokens" => given(1, "2026-11-22T01:00:00Z"),
        _ => Sent::ok("x"),
    });
    let (http, _) = client(HttpSettings { max_in_flight_per_host: 1, ..with_app(&server, &[]) });
    let mut visits = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (http, url) = (http.clone(), server.base_url.clone());
        visits.spawn(async move { http.send(ask(&url)).await.is_ok() });
    }
    let all = tokio::time::timeout(Duration::from_secs(30), visits.join_all()).await;
    assert_eq!(all, Ok(vec![true; 8]));
    assert_eq!(server.asked().len(), 9);
}
