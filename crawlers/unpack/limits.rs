//! `UnpackLimits`: how much one archive or folder may take. Each number has its reason.

/// The caps on one input. Meeting a cap exactly is allowed; one more is refused and recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnpackLimits {
    /// The archive's own bytes. The largest packages of the registries that are plain text and code stay far below it;
    /// what is above it carries models or binaries.
    pub compressed_bytes: u64,
    /// Everything that is unpacked or read from one input, nested archives included. One input is held in memory
    /// whole, so this bounds the memory of a worker.
    pub expanded_bytes: u64,
    /// One file. A larger one is a blob or a bundle that no person reads; the rest of the input goes on without it.
    pub file_bytes: u64,
    /// Members of any kind over all levels. Each costs a map entry and a hash however small it is.
    pub members: usize,
    /// Expanded bytes for each compressed byte, counted only beyond [`UnpackLimits::RATIO_FLOOR_BYTES`]. Text and source
    /// compress to between a third and a thirtieth; deflate can reach 1,032.
    pub ratio: u64,
    /// The number of archives that may lie inside one another below the outermost. An office document inside a bundle
    /// inside a package needs two; one more is for what an attacker wraps.
    pub depth: usize,
    /// Bytes of one path, the paths of the archives around it included. The common limit of file systems is 4,096, and
    /// real packages stay below a quarter of that.
    pub path_bytes: usize,
    /// Components of one path, counted in the same way.
    pub path_components: usize,
}

impl UnpackLimits {
    /// Below so many expanded bytes no ratio is too high: a small text of one repeated line is honest.
    pub const RATIO_FLOOR_BYTES: u64 = 16 << 20;
}

impl Default for UnpackLimits {
    fn default() -> Self {
        Self {
            compressed_bytes: 128 << 20,
            expanded_bytes: 256 << 20,
            file_bytes: 32 << 20,
            members: 50_000,
            ratio: 100,
            depth: 3,
            path_bytes: 1024,
            path_components: 64,
        }
    }
}
