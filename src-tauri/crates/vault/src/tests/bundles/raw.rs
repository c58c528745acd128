//! Zip files written byte by byte, so that each field can say what no program would write.

/// A file of a zip file. Its fields are those of the directory; `local` are those of the header
/// before the bytes, where they differ.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) name: Vec<u8>,
    pub(super) packed: Vec<u8>,
    pub(super) size: u32,
    pub(super) packed_size: u32,
    pub(super) crc: u32,
    pub(super) method: u16,
    pub(super) flags: u16,
    /// What Unix keeps: kind and bits.
    pub(super) mode: u32,
    /// Bytes of another kind behind the name in the directory.
    pub(super) extra: Vec<u8>,
    pub(super) local: Option<Box<Part>>,
    /// Only in the directory; its header is that of an earlier part.
    pub(super) at: Option<usize>,
    /// Only before the bytes; not in the directory.
    pub(super) hidden: bool,
}

impl Part {
    /// A file as it should be, not packed.
    pub(super) fn new(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        Self::named(name.as_bytes(), bytes)
    }

    pub(super) fn named(name: &[u8], bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        Self {
            name: name.to_vec(),
            packed: bytes.to_vec(),
            size: bytes.len() as u32,
            packed_size: bytes.len() as u32,
            crc: crc(bytes),
            method: 0,
            flags: 0x800,
            mode: 0o100_644,
            extra: Vec::new(),
            local: None,
            at: None,
            hidden: false,
        }
    }

    /// The same, packed in one block of the method that all programs know.
    pub(super) fn deflated(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let plain = Self::new(name, bytes);
        let length = plain.packed.len() as u16;
        let mut packed = vec![1];
        packed.extend(length.to_le_bytes());
        packed.extend((!length).to_le_bytes());
        packed.extend(&plain.packed);
        Self { packed_size: packed.len() as u32, packed, method: 8, ..plain }
    }

    /// The same with another header before its bytes.
    pub(super) fn with_local(self, change: impl FnOnce(&mut Self)) -> Self {
        let mut local = self.clone();
        change(&mut local);
        Self { local: Some(Box::new(local)), ..self }
    }

    fn fields(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(20_u16.to_le_bytes());
        bytes.extend(self.flags.to_le_bytes());
        bytes.extend(self.method.to_le_bytes());
        // The first of January 1980, at midnight.
        bytes.extend(0_u16.to_le_bytes());
        bytes.extend(0x21_u16.to_le_bytes());
        bytes.extend(self.crc.to_le_bytes());
        bytes.extend(self.packed_size.to_le_bytes());
        bytes.extend(self.size.to_le_bytes());
        bytes.extend((self.name.len() as u16).to_le_bytes());
        bytes
    }
}

/// A whole zip file.
#[derive(Clone, Default)]
pub(super) struct Zip {
    pub(super) parts: Vec<Part>,
    pub(super) before: Vec<u8>,
    pub(super) after: Vec<u8>,
    pub(super) comment: Vec<u8>,
    /// What the end says of how many there are, where it lies.
    pub(super) count: Option<u16>,
    /// Bytes right before the record at the end.
    pub(super) before_end: Vec<u8>,
}

impl Zip {
    pub(super) fn of(parts: impl IntoIterator<Item = Part>) -> Self {
        Self { parts: parts.into_iter().collect(), ..Self::default() }
    }

    /// Files that are as they should be.
    pub(super) fn plain(files: &[(&str, &str)]) -> Self {
        Self::of(files.iter().map(|(name, text)| Part::new(name, text)))
    }

    pub(super) fn with(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.before.clone();
        let mut offsets = Vec::new();
        for part in &self.parts {
            if let Some(at) = part.at {
                offsets.push(offsets[at]);
                continue;
            }
            offsets.push(bytes.len() as u32);
            let local = part.local.as_deref().unwrap_or(part);
            bytes.extend(b"PK\x03\x04");
            bytes.extend(local.fields());
            bytes.extend(0_u16.to_le_bytes());
            bytes.extend(&local.name);
            bytes.extend(&part.packed);
        }
        let directory = bytes.len();
        let mut listed = 0_u16;
        for (part, offset) in self.parts.iter().zip(offsets).filter(|(part, _)| !part.hidden) {
            listed += 1;
            bytes.extend(b"PK\x01\x02");
            // Made on Unix.
            bytes.extend([20, 3]);
            bytes.extend(part.fields());
            bytes.extend((part.extra.len() as u16).to_le_bytes());
            bytes.extend([0; 6]);
            bytes.extend((part.mode << 16).to_le_bytes());
            bytes.extend(offset.to_le_bytes());
            bytes.extend(&part.name);
            bytes.extend(&part.extra);
        }
        let size = bytes.len() - directory;
        bytes.extend(&self.before_end);
        let count = self.count.unwrap_or(listed);
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        bytes.extend(count.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend((size as u32).to_le_bytes());
        bytes.extend((directory as u32).to_le_bytes());
        bytes.extend((self.comment.len() as u16).to_le_bytes());
        bytes.extend(&self.comment);
        bytes.extend(&self.after);
        bytes
    }
}

/// CRC-32, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 }
        })
    })
}
