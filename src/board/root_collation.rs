//! The root collation alone: the crate's own data, without its tailorings.
//!
//! Those of the languages (Chinese, above all) are 1 MB of the program, in
//! which no row is ever sorted by them.

use icu_collator::provider::{
    Baked, CollationDiacriticsV1, CollationJamoV1, CollationMetadataV1, CollationReorderingV1,
    CollationRootV1, CollationSpecialPrimariesV1, CollationTailoringV1,
};
use icu_collator::{Collator, options::CollatorOptions};
use icu_normalizer::provider::{
    Baked as BakedNormalizer, NormalizerNfdDataV1, NormalizerNfdTablesV1,
};
use icu_provider::prelude::*;

/// Gives what the root collation needs, and has no tailoring.
struct Root;

/// Makes the collator of the root collation.
pub(super) fn collator() -> Collator {
    Collator::try_new_unstable(&Root, Default::default(), CollatorOptions::default())
        .expect("the root collation is compiled in")
}

macro_rules! give {
    ($from:ident: $($marker:ident),+) => {$(
        impl DataProvider<$marker> for Root {
            fn load(&self, request: DataRequest) -> Result<DataResponse<$marker>, DataError> {
                $from.load(request)
            }
        }
    )+};
}

give!(Baked: CollationDiacriticsV1, CollationJamoV1, CollationMetadataV1, CollationReorderingV1);
give!(Baked: CollationRootV1, CollationSpecialPrimariesV1);
give!(BakedNormalizer: NormalizerNfdDataV1, NormalizerNfdTablesV1);

impl DataProvider<CollationTailoringV1> for Root {
    fn load(&self, request: DataRequest) -> Result<DataResponse<CollationTailoringV1>, DataError> {
        Err(DataErrorKind::IdentifierNotFound.with_req(CollationTailoringV1::INFO, request))
    }
}
