//! The digests that registries publish beside SHA-256: SHA-1 and SHA-512, and the Base64 that npm writes them in.
//!
//! By hand, because the program itself needs neither: it hands artifacts to `capdex-crawlers`, which checks them with
//! libraries. Sources: FIPS 180-4, RFC 4648.

/// The first 64 fractional bits of the cube roots of the first 80 primes.
const SHA512_ROUNDS: [u64; 80] = [
    0x428a_2f98_d728_ae22,
    0x7137_4491_23ef_65cd,
    0xb5c0_fbcf_ec4d_3b2f,
    0xe9b5_dba5_8189_dbbc,
    0x3956_c25b_f348_b538,
    0x59f1_11f1_b605_d019,
    0x923f_82a4_af19_4f9b,
    0xab1c_5ed5_da6d_8118,
    0xd807_aa98_a303_0242,
    0x1283_5b01_4570_6fbe,
    0x2431_85be_4ee4_b28c,
    0x550c_7dc3_d5ff_b4e2,
    0x72be_5d74_f27b_896f,
    0x80de_b1fe_3b16_96b1,
    0x9bdc_06a7_25c7_1235,
    0xc19b_f174_cf69_2694,
    0xe49b_69c1_9ef1_4ad2,
    0xefbe_4786_384f_25e3,
    0x0fc1_9dc6_8b8c_d5b5,
    0x240c_a1cc_77ac_9c65,
    0x2de9_2c6f_592b_0275,
    0x4a74_84aa_6ea6_e483,
    0x5cb0_a9dc_bd41_fbd4,
    0x76f9_88da_8311_53b5,
    0x983e_5152_ee66_dfab,
    0xa831_c66d_2db4_3210,
    0xb003_27c8_98fb_213f,
    0xbf59_7fc7_beef_0ee4,
    0xc6e0_0bf3_3da8_8fc2,
    0xd5a7_9147_930a_a725,
    0x06ca_6351_e003_826f,
    0x1429_2967_0a0e_6e70,
    0x27b7_0a85_46d2_2ffc,
    0x2e1b_2138_5c26_c926,
    0x4d2c_6dfc_5ac4_2aed,
    0x5338_0d13_9d95_b3df,
    0x650a_7354_8baf_63de,
    0x766a_0abb_3c77_b2a8,
    0x81c2_c92e_47ed_aee6,
    0x9272_2c85_1482_353b,
    0xa2bf_e8a1_4cf1_0364,
    0xa81a_664b_bc42_3001,
    0xc24b_8b70_d0f8_9791,
    0xc76c_51a3_0654_be30,
    0xd192_e819_d6ef_5218,
    0xd699_0624_5565_a910,
    0xf40e_3585_5771_202a,
    0x106a_a070_32bb_d1b8,
    0x19a4_c116_b8d2_d0c8,
    0x1e37_6c08_5141_ab53,
    0x2748_774c_df8e_eb99,
    0x34b0_bcb5_e19b_48a8,
    0x391c_0cb3_c5c9_5a63,
    0x4ed8_aa4a_e341_8acb,
    0x5b9c_ca4f_7763_e373,
    0x682e_6ff3_d6b2_b8a3,
    0x748f_82ee_5def_b2fc,
    0x78a5_636f_4317_2f60,
    0x84c8_7814_a1f0_ab72,
    0x8cc7_0208_1a64_39ec,
    0x90be_fffa_2363_1e28,
    0xa450_6ceb_de82_bde9,
    0xbef9_a3f7_b2c6_7915,
    0xc671_78f2_e372_532b,
    0xca27_3ece_ea26_619c,
    0xd186_b8c7_21c0_c207,
    0xeada_7dd6_cde0_eb1e,
    0xf57d_4f7f_ee6e_d178,
    0x06f0_67aa_7217_6fba,
    0x0a63_7dc5_a2c8_98a6,
    0x113f_9804_bef9_0dae,
    0x1b71_0b35_131c_471b,
    0x28db_77f5_2304_7d84,
    0x32ca_ab7b_40c7_2493,
    0x3c9e_be0a_15c9_bebc,
    0x431d_67c4_9c10_0d4c,
    0x4cc5_d4be_cb3e_42b6,
    0x597f_299c_fc65_7e2a,
    0x5fcb_6fab_3ad6_faec,
    0x6c44_198c_4a47_5817,
];

/// The SHA-1 in lower-case hex, as npm's `shasum`.
pub(crate) fn sha1_hex(bytes: &[u8]) -> String {
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in padded(bytes, 64).chunks_exact(64) {
        let mut words: Vec<u32> =
            block.chunks_exact(4).map(|word| word.iter().fold(0, |all, byte| all << 8 | u32::from(*byte))).collect();
        for index in 16..80 {
            words.push((words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]).rotate_left(1));
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (index, word) in words.iter().enumerate() {
            let (mixed, constant) = match index / 20 {
                0 => (b & c | !b & d, 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => (b & c | b & d | c & d, 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e).wrapping_add(constant).wrapping_add(*word);
            (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
        }
        for (kept, new) in state.iter_mut().zip([a, b, c, d, e]) {
            *kept = kept.wrapping_add(new);
        }
    }
    state.iter().map(|word| format!("{word:08x}")).collect()
}

/// The SHA-512 as Subresource Integrity writes it: `sha512-<base64>`.
pub(crate) fn sha512_integrity(bytes: &[u8]) -> String {
    format!("sha512-{}", base64(&sha512(bytes)))
}

fn sha512(bytes: &[u8]) -> Vec<u8> {
    let mut state: [u64; 8] = [
        0x6a09_e667_f3bc_c908,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ];
    for block in padded(bytes, 128).chunks_exact(128) {
        let mut words: Vec<u64> =
            block.chunks_exact(8).map(|word| word.iter().fold(0, |all, byte| all << 8 | u64::from(*byte))).collect();
        for index in 16..80 {
            let (early, late) = (words[index - 15], words[index - 2]);
            let small = early.rotate_right(1) ^ early.rotate_right(8) ^ early >> 7;
            let large = late.rotate_right(19) ^ late.rotate_right(61) ^ late >> 6;
            words.push(words[index - 16].wrapping_add(small).wrapping_add(words[index - 7]).wrapping_add(large));
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (word, constant) in words.iter().zip(SHA512_ROUNDS) {
            let large = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
            let one = h.wrapping_add(large).wrapping_add(e & f ^ !e & g).wrapping_add(constant).wrapping_add(*word);
            let small = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
            let two = small.wrapping_add(a & b ^ a & c ^ b & c);
            (a, b, c, d, e, f, g, h) = (one.wrapping_add(two), a, b, c, d.wrapping_add(one), e, f, g);
        }
        for (kept, new) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *kept = kept.wrapping_add(new);
        }
    }
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// The message with a one bit, zeros and its length in bits, up to whole blocks.
fn padded(bytes: &[u8], block: usize) -> Vec<u8> {
    let length_bytes = block / 8;
    let mut message = bytes.to_vec();
    message.push(0x80);
    message.resize((message.len() + length_bytes).next_multiple_of(block) - 8, 0);
    message.extend((bytes.len() as u64 * 8).to_be_bytes());
    message
}

/// Base64 with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits: usize, index| bits << 8 | usize::from(group.get(index).copied().unwrap_or(0)));
        for digit in 0..4 {
            let letter = LETTERS[bits >> (18 - 6 * digit) & 63];
            text.push(if digit <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[test]
fn digests_of_the_standard_examples() {
    assert_eq!(sha1_hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_eq!(sha1_hex(&[b'a'; 119]), "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56");
    let abc = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
    let hex = |bytes: &[u8]| sha512(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(hex(b"abc"), abc);
    assert_eq!(
        hex(&[b'a'; 239]),
        "52c853cb8d907f3d4d6b889beb027985d7c273486d75f8baf26f80d24e90c74c6c3de3e22131582380a7d14d43f2941a31385439cd6ddc469f628015e50bf286"
    );
    assert_eq!(base64(b"f"), "Zg==");
    assert_eq!(base64(b"fo"), "Zm8=");
    assert_eq!(base64(b"foo"), "Zm9v");
}
